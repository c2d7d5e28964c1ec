import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { invoicePath, type Invoice } from "../../api/invoices";
import { apiQuery } from "../../api/queries";
import { useRole } from "../../api/role";
import { eventOf, type Delivery } from "../../api/webhooks";
import { DataTable, type Column } from "../../kit/data-table";
import { Empty } from "../../kit/empty";
import { ButtonLink, RowLink } from "../../kit/links";
import { Loaded } from "../../kit/loaded";
import { Section } from "../../kit/section";
import { DeliveryBadge } from "../../kit/format/status";
import { Time } from "../../kit/format/time";
import { DeliveryAnswer } from "../webhook/delivery-answer";
import { RedeliverOne } from "../webhook/redeliver";

interface Endpoint {
  webhookId: string;
  url: string;
}

export function DeliveriesSection({ invoice: { storeId, invoiceId } }: { invoice: Invoice }) {
  const deliveries = useQuery(
    apiQuery<{ data: Delivery[] }>(`${invoicePath(storeId, invoiceId)}/deliveries`),
  );
  const webhooks = useQuery(apiQuery<{ data: Endpoint[] }>(`/stores/${storeId}/webhooks`, { limit: 200 }));
  const { can } = useRole(storeId);
  const urls = new Map(webhooks.data?.data.map(({ webhookId, url }) => [webhookId, url]));
  return (
    <Section
      title="Webhook deliveries"
      intro="The events of this invoice that were sent to your shop, in order."
    >
      <Loaded query={deliveries} lines={2}>
        {({ data }) => (
          <FoldedIfWell deliveries={data}>
            <DataTable
              label="Webhook deliveries"
              columns={columnsFor(storeId, urls, can("member"))}
              rows={data}
              rowKey={({ deliveryId }) => deliveryId}
              empty={<NoDeliveries storeId={storeId} registered={urls.size > 0} />}
            />
          </FoldedIfWell>
        )}
      </Loaded>
    </Section>
  );
}

/** Folded if all were delivered at the opening: what changes before one's eyes stays in sight. */
function FoldedIfWell({ deliveries, children }: { deliveries: readonly Delivery[]; children: ReactNode }) {
  const well = deliveries.length > 0 && deliveries.every(({ state }) => state === "delivered");
  const [opened, setOpened] = useState(!well);
  if (!well && !opened) setOpened(true);
  if (!well) return children;
  return (
    <>
      <Group gap="sm">
        <DeliveryBadge state="delivered" />
        <Text size="sm">
          {deliveries.length === 1 ? "The only one arrived." : `All ${deliveries.length} arrived.`}
        </Text>
        <Button size="compact-sm" variant="default" aria-expanded={opened} onClick={() => setOpened(!opened)}>
          {opened ? "Hide them" : "Show them"}
        </Button>
      </Group>
      {opened && children}
    </>
  );
}

function NoDeliveries({ storeId, registered }: { storeId: string; registered: boolean }) {
  const action = (
    <ButtonLink to="/stores/$storeId/webhooks" params={{ storeId }} variant="default">
      Webhooks
    </ButtonLink>
  );
  return (
    <Empty icon="webhook" title="No deliveries" action={action}>
      {registered
        ? "The store had no webhook for these events when they occurred."
        : "The store has no webhook. With one, your shop receives each change of an invoice."}
    </Empty>
  );
}

const columnsFor = (
  storeId: string,
  urls: ReadonlyMap<string, string>,
  mayRedeliver: boolean,
): Column<Delivery>[] => [
  {
    label: "Event",
    main: true,
    render: (delivery) => (
      <RowLink
        to="/stores/$storeId/webhooks/$webhookId/deliveries/$deliveryId"
        params={{ storeId, webhookId: delivery.webhookId, deliveryId: delivery.deliveryId }}
      >
        {eventOf(delivery)}
      </RowLink>
    ),
  },
  {
    label: "To",
    render: ({ webhookId }) => (
      <Text span inherit className="breakable">
        {urls.get(webhookId) ?? "a deleted webhook"}
      </Text>
    ),
  },
  { label: "State", render: ({ state }) => <DeliveryBadge state={state} /> },
  { label: "Response", render: (delivery) => <DeliveryAnswer delivery={delivery} /> },
  {
    label: "Last sent",
    render: ({ lastAttemptAt, attemptCount }) =>
      lastAttemptAt === null ? (
        "not yet"
      ) : (
        <>
          <Time value={lastAttemptAt} relative />
          {attemptCount > 1 && ` (${attemptCount} times)`}
        </>
      ),
  },
  {
    label: "",
    align: "right",
    render: (delivery) =>
      mayRedeliver ? <RedeliverOne storeId={storeId} delivery={delivery} size="xs" /> : null,
  },
];
