import { Checkbox, Text } from "@mantine/core";
import { eventOf, isUnderWay, type Delivery } from "../../api/webhooks";
import type { Column } from "../../kit/data-table";
import { RowLink, TextLink } from "../../kit/links";
import { DeliveryBadge } from "../../kit/format/status";
import { Time } from "../../kit/format/time";
import { DeliveryAnswer } from "./delivery-answer";
import { RedeliverOne } from "./redeliver";

interface Selection {
  isSelected: (delivery: Delivery) => boolean;
  toggle: (delivery: Delivery) => void;
}

/** `selection`: null without the right to redeliver. */
export const deliveryColumns = (
  { storeId, webhookId }: { storeId: string; webhookId: string },
  selection: Selection | null,
): Column<Delivery>[] => [
  ...(selection === null ? [] : [selectColumn(selection)]),
  {
    label: "Event",
    main: true,
    render: (delivery) => (
      <RowLink
        to="/stores/$storeId/webhooks/$webhookId/deliveries/$deliveryId"
        params={{ storeId, webhookId, deliveryId: delivery.deliveryId }}
      >
        {eventOf(delivery)}
      </RowLink>
    ),
  },
  {
    label: "State",
    render: ({ state, nextAttemptAt }) => (
      <>
        <DeliveryBadge state={state} />
        {nextAttemptAt !== null && (
          <Text size="xs" c="dimmed">
            again at <Time value={nextAttemptAt} />
          </Text>
        )}
      </>
    ),
  },
  { label: "Invoice", render: ({ invoiceId }) => <InvoiceLink storeId={storeId} invoiceId={invoiceId} /> },
  { label: "Response", render: (delivery) => <DeliveryAnswer delivery={delivery} /> },
  {
    label: "Time",
    align: "right",
    render: ({ createdAt, lastAttemptAt, attemptCount }) => (
      <>
        <span className="numeral">
          <Time value={lastAttemptAt ?? createdAt} relative />
        </span>
        {attemptCount > 1 && (
          <Text size="xs" c="dimmed">
            sent {attemptCount} times
          </Text>
        )}
      </>
    ),
  },
  ...(selection === null ? [] : [redeliverColumn(storeId)]),
];

const selectColumn = ({ isSelected, toggle }: Selection): Column<Delivery> => ({
  label: "Select",
  render: (delivery) => (
    <div data-above>
      <Checkbox
        aria-label={`Select ${eventOf(delivery)} of ${delivery.invoiceId}`}
        disabled={isUnderWay(delivery)}
        checked={isSelected(delivery) && !isUnderWay(delivery)}
        onChange={() => toggle(delivery)}
      />
    </div>
  ),
});

const redeliverColumn = (storeId: string): Column<Delivery> => ({
  label: "",
  align: "right",
  render: (delivery) => <RedeliverOne storeId={storeId} delivery={delivery} size="xs" />,
});

const TEST_INVOICE = /^inv_test/;

/** A test event's invoice does not exist. */
export function InvoiceLink({ storeId, invoiceId }: { storeId: string; invoiceId: string }) {
  if (TEST_INVOICE.test(invoiceId)) return <>test</>;
  return (
    <TextLink
      to="/stores/$storeId/invoices/$invoiceId"
      params={{ storeId, invoiceId }}
      inherit
      className="numeral"
      title={invoiceId}
    >
      {`…${invoiceId.slice(-8)}`}
    </TextLink>
  );
}
