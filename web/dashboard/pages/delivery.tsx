import { Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { apiQuery } from "../api/queries";
import { useRole } from "../api/role";
import {
  deliveryPath,
  eventOf,
  isUnderWay,
  meaningOf,
  webhookPath,
  type DeliveryDetail,
  type Webhook,
} from "../api/webhooks";
import { Copyable } from "../kit/copy";
import { Facts } from "../kit/facts";
import { TextLink } from "../kit/links";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";
import { Section } from "../kit/section";
import { DeliveryBadge } from "../kit/format/status";
import { Time } from "../kit/format/time";
import { AttemptsSection } from "./delivery/attempts";
import { RequestSection } from "./delivery/request";
import { InvoiceLink } from "./webhook/columns";
import { RedeliverOne } from "./webhook/redeliver";

const ROUTE = "/inside/stores/$storeId/webhooks/$webhookId/deliveries/$deliveryId";

export function DeliveryPage() {
  const params = useParams({ from: ROUTE });
  const { storeId, webhookId } = params;
  const query = useQuery(apiQuery<DeliveryDetail>(deliveryPath(params)));
  const { can } = useRole(storeId);
  const { data } = query;
  return (
    <Page
      title={data === undefined ? "Delivery" : `Delivery of ${data.dialectType ?? data.type}`}
      back={
        <TextLink to="/stores/$storeId/webhooks/$webhookId" params={{ storeId, webhookId }}>
          Webhook
        </TextLink>
      }
      actions={
        data !== undefined && can("member") && <RedeliverOne storeId={storeId} delivery={data} size="sm" />
      }
    >
      <Loaded query={query} lines={8}>
        {(delivery) => (
          <>
            <Overview storeId={storeId} delivery={delivery} />
            <AttemptsSection delivery={delivery} />
            {can("member") && <RequestSection storeId={storeId} delivery={delivery} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Overview({ storeId, delivery }: { storeId: string; delivery: DeliveryDetail }) {
  const { webhookId, deliveryId, eventId, invoiceId, createdAt, nextAttemptAt } = delivery;
  const { data: webhook } = useQuery(apiQuery<Webhook>(webhookPath({ storeId, webhookId })));
  return (
    <Stack gap="lg">
      <Group gap="xs">
        <DeliveryBadge state={delivery.state} />
        <Text>{sayingOf(delivery)}</Text>
      </Group>
      <Section title="Event">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xs">
          <Facts
            facts={[
              ["Event", eventOf(delivery)],
              ["Invoice", <InvoiceLink key="invoice" storeId={storeId} invoiceId={invoiceId} />],
              ["To", webhook?.url ?? null],
            ]}
          />
          <Facts
            facts={[
              ["Occurred", <Time key="time" value={createdAt} />],
              ["Next attempt", nextAttemptAt === null ? null : <Time key="next" value={nextAttemptAt} />],
              ["Event ID", <Copyable key="event" value={eventId} label="the event ID" short />],
              ["Delivery ID", <Copyable key="id" value={deliveryId} label="the delivery ID" short />],
            ]}
          />
        </SimpleGrid>
      </Section>
    </Stack>
  );
}

function sayingOf(delivery: DeliveryDetail): string {
  const { state, error, nextAttemptAt } = delivery;
  if (isUnderWay(delivery)) return "It is being sent. This page shows the response when it arrives.";
  if (state === "delivered") return "The endpoint accepted it.";
  if (state === "skipped" && error !== null) return meaningOf(error);
  if (state === "skipped")
    return "The webhook was disabled or deleted before this delivery was sent. Redeliver sends it.";
  if (nextAttemptAt !== null) return `${meaningOf(error ?? "")} It is retried automatically.`;
  return `${meaningOf(error ?? "")} It is not retried automatically. Fix the endpoint, then redeliver.`;
}
