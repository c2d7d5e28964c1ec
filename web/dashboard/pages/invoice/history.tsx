import { Button, Stack, Text, Timeline } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { invoicePath, type HistoryLine, type Invoice } from "../../api/invoices";
import { apiList } from "../../api/queries";
import { formatSats } from "../../kit/format/format-money";
import { Icon, type IconName } from "../../kit/icon";
import { Loaded } from "../../kit/loaded";
import { Section } from "../../kit/section";
import { Time } from "../../kit/format/time";
import { PAYMENT_METHODS } from "./payment-methods";
import classes from "./history.module.css";

export function HistorySection({ invoice: { storeId, invoiceId } }: { invoice: Invoice }) {
  const lines = useInfiniteQuery(apiList<HistoryLine>(`${invoicePath(storeId, invoiceId)}/events`));
  return (
    <Section title="History" intro="Newest first.">
      <Loaded query={lines}>
        {(rows) => (
          <Timeline bulletSize={26} lineWidth={2} component="ol" className={classes.list ?? ""}>
            {withoutEchoes(rows).map((line, place, { length }) => (
              <Timeline.Item
                key={`${line.at}-${length - place}`}
                component="li"
                bullet={<Icon name={iconOf(line)} size={14} />}
                title={titleOf(line)}
              >
                <Stack gap={2}>
                  {detailOf(line)}
                  <Text size="xs" c="dimmed">
                    <Time value={line.at} />
                  </Text>
                </Stack>
              </Timeline.Item>
            ))}
          </Timeline>
        )}
      </Loaded>
      {lines.hasNextPage && (
        <Button
          variant="default"
          loading={lines.isFetchingNextPage}
          onClick={() => void lines.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </Section>
  );
}

const ICONS: Record<HistoryLine["kind"], IconName> = {
  status: "circle-check",
  payment: "bitcoin",
  activated: "bitcoin",
  event: "send",
  edited: "pencil",
  "refund-address": "rotate-ccw",
  "receipt-asked": "send",
  "receipt-sent": "send",
  "receipt-refused": "triangle-alert",
  archived: "archive",
  unarchived: "archive-restore",
};

const iconOf = (line: HistoryLine): IconName =>
  line.kind === "payment" ? PAYMENT_METHODS[line.type].icon : ICONS[line.kind];

function withAdditional({ status, additionalStatus }: { status: string; additionalStatus: string }): string {
  return additionalStatus === "None" ? status : `${status} · ${additionalStatus}`;
}

function titleOf(line: HistoryLine): string {
  switch (line.kind) {
    case "status":
      return withAdditional(line);
    case "payment":
      return `${PAYMENT_METHODS[line.type].name} payment ${line.change}`;
    case "event":
      return `Event ${withAdditional({ ...line, status: line.type })}`;
    case "activated":
      return "Address allocated";
    case "edited":
      return `Edited by hand: ${line.fields.join(", ")}`;
    case "refund-address":
      return "Refund address left on the page";
    case "receipt-asked":
      return "Receipt by mail requested on the page";
    case "receipt-sent":
      return "Receipt sent by mail";
    case "receipt-refused":
      return "Receipt refused by the mail server";
    case "archived":
      return "Archived";
    case "unarchived":
      return "Restored";
  }
}

function detailOf(line: HistoryLine): ReactNode {
  if (line.kind === "status")
    return (
      <>
        <Text size="sm">{line.reason}</Text>
        {line.note !== undefined && (
          <Text size="sm" className="breakable">
            Note: {line.note}
          </Text>
        )}
      </>
    );
  if (line.kind === "payment")
    return (
      <Text size="sm">
        {formatSats(line.amountSats)}
        {line.blockHeight !== undefined && `, in block ${line.blockHeight}`}
        {line.belowDust && ", too small to count"}
        {line.beforeInvoice === true && ", older than the invoice: not counted"}
      </Text>
    );
  return line.kind === "event" ? <Text size="sm">Event written for webhooks.</Text> : null;
}

/** Without each decision's event, which says the same at the same instant. */
function withoutEchoes(lines: readonly HistoryLine[]): HistoryLine[] {
  const said = new Set(lines.map((line) => (line.kind === "status" ? sayingOf(line.status, line) : null)));
  return lines.filter((line) => line.kind !== "event" || !said.has(sayingOf(line.type, line)));
}

const sayingOf = (
  status: string,
  { at, additionalStatus }: { at: string; additionalStatus: string },
): string => `${at} ${status} ${additionalStatus}`;
