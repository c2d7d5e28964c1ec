import { Button, Checkbox, Group } from "@mantine/core";
import { post } from "../../api/call";
import { invoicePath } from "../../api/invoices";
import { ApiError } from "../../api/problem";
import { deliveriesPath, deliveryPath, isUnderWay, type Delivery } from "../../api/webhooks";
import { useAction } from "../../kit/form/action";
import { AskingButton } from "../../kit/form/asking-button";
import { Icon } from "../../kit/icon";
import { deliveryFilter, type DeliverySearch } from "./search";

interface Whose {
  storeId: string;
  webhookId: string;
}

const countOf = (count: number): string => `${count} ${count === 1 ? "delivery" : "deliveries"}`;
const sentAgain = (count: number): string =>
  `${countOf(count)} ${count === 1 ? "is" : "are"} being redelivered.`;

export function RedeliverOne(props: { storeId: string; delivery: Delivery; size: "xs" | "sm" }) {
  const { storeId, delivery, size } = props;
  const { webhookId, deliveryId, invoiceId, state, type } = delivery;
  const redeliver = useAction({
    run: () => post(`${deliveryPath({ storeId, webhookId, deliveryId })}/redeliver`),
    changes: [deliveriesPath({ storeId, webhookId }), `${invoicePath(storeId, invoiceId)}/deliveries`],
    done: "It is being redelivered.",
  });
  if (isUnderWay(delivery)) return null;
  return (
    <Button
      size={size}
      variant={state === "delivered" ? "default" : "filled"}
      aria-label={`Redeliver ${type}`}
      loading={redeliver.isPending}
      onClick={() => redeliver.mutate()}
    >
      Redeliver
    </Button>
  );
}

/** With the other filters, also those not shown yet. */
export function RedeliverAllFailed({ whose, search }: { whose: Whose; search: DeliverySearch }) {
  const path = deliveriesPath(whose);
  const { state: _, ...others } = search;
  const redeliver = useAction({
    run: () => post<{ count: number }>(`${path}/redeliver`, { ...deliveryFilter(others), state: "failed" }),
    changes: [path],
    done: ({ count }) => (count === 0 ? "There are no failed deliveries." : sentAgain(count)),
  });
  const question = {
    title: "Redeliver all failed deliveries?",
    body:
      Object.keys(others).length > 0
        ? "Every failed delivery that matches the filters is redelivered, as fast as the endpoint accepts them."
        : "Every failed delivery of this webhook is redelivered, as fast as the endpoint accepts them.",
    action: "Redeliver all",
  };
  return (
    <AskingButton
      variant="default"
      size="xs"
      leftSection={<Icon name="rotate-ccw" size={14} />}
      question={question}
      action={redeliver}
    >
      Redeliver all failed
    </AskingButton>
  );
}

/** Another request was faster, or the body was deleted: the others continue. */
const isRefusedAlone = (error: unknown): boolean => error instanceof ApiError && error.status === 409;

/** Returns of how many how many were accepted. */
async function redeliverEach(storeId: string, deliveries: readonly Delivery[]) {
  let count = 0;
  for (const { webhookId, deliveryId } of deliveries)
    try {
      await post(`${deliveryPath({ storeId, webhookId, deliveryId })}/redeliver`);
      count += 1;
    } catch (error) {
      if (!isRefusedAlone(error)) throw error;
    }
  return { count, of: deliveries.length };
}

interface SelectionProps {
  whose: Whose;
  selected: readonly Delivery[];
  all: number;
  selectAll: () => void;
  selectNone: () => void;
}

export function SelectionBar({ whose, selected, all, selectAll, selectNone }: SelectionProps) {
  const redeliver = useAction({
    run: () => redeliverEach(whose.storeId, selected),
    changes: [deliveriesPath(whose)],
    done: ({ count, of }) =>
      count === of ? sentAgain(count) : `${sentAgain(count)} The others could not be.`,
    then: selectNone,
  });
  const whole = selected.length === all;
  return (
    <Group gap="md" mih={30}>
      <Checkbox
        label={selected.length === 0 ? "Select all shown" : `${selected.length} selected`}
        checked={whole}
        indeterminate={selected.length > 0 && !whole}
        onChange={whole ? selectNone : selectAll}
      />
      {selected.length > 0 && (
        <Button size="xs" loading={redeliver.isPending} onClick={() => redeliver.mutate()}>
          Redeliver selected
        </Button>
      )}
    </Group>
  );
}
