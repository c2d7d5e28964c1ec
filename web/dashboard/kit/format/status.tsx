import { Badge } from "@mantine/core";
import type { ReactNode } from "react";
import { Icon, type IconName } from "../icon";

export type Tone = "good" | "busy" | "warn" | "bad" | "calm";

const LOOKS: Record<Tone, { color: string; icon: IconName }> = {
  good: { color: "green", icon: "circle-check" },
  busy: { color: "blue", icon: "clock" },
  warn: { color: "yellow", icon: "triangle-alert" },
  bad: { color: "red", icon: "circle-x" },
  calm: { color: "gray", icon: "info" },
};

/** None is needed to understand the others. */
export function Status({ tone, children, icon }: { tone: Tone; children: ReactNode; icon?: IconName }) {
  const { color, icon: usual } = LOOKS[tone];
  return (
    <Badge color={color} miw="max-content" leftSection={<Icon name={icon ?? usual} size={13} />}>
      {children}
    </Badge>
  );
}

type InvoiceStatus = "New" | "Processing" | "Settled" | "Expired" | "Invalid";
type AdditionalStatus = "None" | "Overpaid" | "Underpaid" | "PaidAfterExpiration";

const INVOICE: Record<InvoiceStatus, Tone> = {
  New: "calm",
  Processing: "busy",
  Settled: "good",
  Expired: "warn",
  Invalid: "bad",
};
const ADDITIONAL: Record<Exclude<AdditionalStatus, "None">, string> = {
  Overpaid: "overpaid",
  Underpaid: "underpaid",
  PaidAfterExpiration: "paid late",
};

/** "Settled · overpaid" */
export function InvoiceBadge(props: { status: InvoiceStatus; additionalStatus?: AdditionalStatus }) {
  const { status, additionalStatus = "None" } = props;
  return (
    <Status tone={INVOICE[status]}>
      {additionalStatus === "None" ? status : `${status} · ${ADDITIONAL[additionalStatus]}`}
    </Status>
  );
}

type DeliveryState = "pending" | "sending" | "delivered" | "failed" | "skipped";

const DELIVERY: Record<DeliveryState, Tone> = {
  pending: "calm",
  sending: "busy",
  delivered: "good",
  failed: "bad",
  skipped: "warn",
};

export function DeliveryBadge({ state }: { state: DeliveryState }) {
  return <Status tone={DELIVERY[state]}>{state}</Status>;
}

type HealthStatus = "ok" | "degraded" | "down" | "off";

const HEALTH: Record<HealthStatus, Tone> = { ok: "good", degraded: "warn", down: "bad", off: "calm" };

export function HealthBadge({ status }: { status: HealthStatus }) {
  return <Status tone={HEALTH[status]}>{status}</Status>;
}
