import { Button, Text } from "@mantine/core";
import { post } from "../../api/call";
import type { Alert } from "../../api/shapes";
import { useAction } from "../../kit/form/action";
import type { Column } from "../../kit/data-table";
import { ButtonLink } from "../../kit/links";
import { Status, type Tone } from "../../kit/format/status";
import { Time } from "../../kit/format/time";

const TONES: Record<Alert["severity"], Tone> = { info: "calm", warning: "warn", critical: "bad" };

const message: Column<Alert> = {
  label: "What",
  main: true,
  render: (alert) => (
    <Text span inherit className="breakable">
      {alert.message}
    </Text>
  ),
};
const severity: Column<Alert> = {
  label: "Severity",
  render: (alert) => <Status tone={TONES[alert.severity]}>{alert.severity}</Status>,
};
const since: Column<Alert> = { label: "Since", render: ({ at }) => <When at={at} /> };
const resolvedAt: Column<Alert> = {
  label: "Resolved",
  render: (alert) => (alert.resolvedAt === null ? "–" : <When at={alert.resolvedAt} />),
};

function When({ at }: { at: string }) {
  return (
    <span className="numeral">
      <Time value={at} relative />
    </span>
  );
}

export const alertColumns = (storeId: string, resolved: boolean, mayResolve: boolean): Column<Alert>[] => [
  severity,
  message,
  since,
  ...(resolved ? [resolvedAt] : []),
  { label: "About", align: "right", render: (alert) => <About storeId={storeId} alert={alert} /> },
  ...(mayResolve && !resolved
    ? [
        {
          label: "",
          align: "right" as const,
          render: (alert: Alert) => <Resolve storeId={storeId} alert={alert} />,
        },
      ]
    : []),
];

function About({ storeId, alert: { invoiceId, kind } }: { storeId: string; alert: Alert }) {
  if (invoiceId !== null)
    return (
      <ButtonLink
        to="/stores/$storeId/invoices/$invoiceId"
        params={{ storeId, invoiceId }}
        variant="default"
        size="xs"
      >
        Invoice
      </ButtonLink>
    );
  if (kind === "deliveries-failing")
    return (
      <ButtonLink to="/stores/$storeId/webhooks" params={{ storeId }} variant="default" size="xs">
        Webhooks
      </ButtonLink>
    );
  if (kind === "settings-weakened")
    return (
      <ButtonLink to="/stores/$storeId/settings/general" params={{ storeId }} variant="default" size="xs">
        Settings
      </ButtonLink>
    );
  if (kind === "gap-limit" || kind === "wallet-changed")
    return (
      <ButtonLink
        to="/stores/$storeId/settings/payment-methods"
        params={{ storeId }}
        variant="default"
        size="xs"
      >
        Wallet
      </ButtonLink>
    );
  return <>–</>;
}

function Resolve({ storeId, alert }: { storeId: string; alert: Alert }) {
  const resolve = useAction({
    run: () => post(`/stores/${storeId}/alerts/${encodeURIComponent(alert.alertId)}/resolve`),
    changes: [`/stores/${storeId}/alerts`],
    done: "Resolved.",
  });
  return (
    <Button size="xs" loading={resolve.isPending} onClick={() => resolve.mutate()}>
      Resolve
    </Button>
  );
}
