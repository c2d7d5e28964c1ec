import { Alert, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { homeQuery } from "../api/home";
import { ApiError } from "../api/problem";
import { apiQuery } from "../api/queries";
import { eventsOf, webhookPath, type Webhook } from "../api/webhooks";
import { Copyable } from "../kit/copy";
import { Facts } from "../kit/facts";
import { Icon } from "../kit/icon";
import { TextLink } from "../kit/links";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";
import { Section } from "../kit/section";
import { Time } from "../kit/format/time";
import { WebhookBadge } from "../kit/format/webhook-badge";
import { WebhookActions } from "./webhook/actions";
import { DeliveriesSection } from "./webhook/deliveries";
import { EditWebhook } from "./webhook/edit";
import { SendTest } from "./webhook/send-test";

export function WebhookPage() {
  const { storeId, webhookId } = useParams({ from: "/inside/stores/$storeId/webhooks/$webhookId" });
  const webhook = useQuery(apiQuery<Webhook>(webhookPath({ storeId, webhookId })));
  const { data, error } = webhook;
  const gone = error instanceof ApiError && error.status === 404;
  return (
    <Page
      title="Webhook"
      intro={data !== undefined && !gone && <span className="breakable">{data.url}</span>}
      back={
        <TextLink to="/stores/$storeId/webhooks" params={{ storeId }}>
          Webhooks
        </TextLink>
      }
      actions={data !== undefined && !gone && <WebhookActions storeId={storeId} webhook={data} />}
    >
      {gone ? (
        <Gone />
      ) : (
        <Loaded query={webhook}>{(found) => <Overview storeId={storeId} webhook={found} />}</Loaded>
      )}
      <DeliveriesSection storeId={storeId} webhookId={webhookId} />
    </Page>
  );
}

function Gone() {
  return (
    <Alert color="gray" title="This webhook was deleted" icon={<Icon name="info" />}>
      No events are sent to it. Its deliveries can still be read and redelivered by hand.
    </Alert>
  );
}

function Overview({ storeId, webhook }: { storeId: string; webhook: Webhook }) {
  const { webhookId, createdAt, createdByEmail } = webhook;
  const { data: home } = useQuery(homeQuery(storeId));
  const counted = home?.webhooks.find((one) => one.webhookId === webhookId);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Section title="Endpoint" actions={<EditWebhook storeId={storeId} webhook={webhook} />}>
        <Stack gap="md">
          <Group gap="xs">
            <WebhookBadge {...webhook} failed={counted?.failedDeliveries ?? 0} />
          </Group>
          <Facts
            facts={[
              ["Events", eventsOf(webhook)],
              ["Webhook ID", <Copyable key="id" value={webhookId} label="the webhook ID" short />],
              ["Registered", <Time key="registered" value={createdAt} />],
              ["By", createdByEmail === null ? null : <span className="breakable">{createdByEmail}</span>],
            ]}
          />
          <Advice webhook={webhook} />
        </Stack>
      </Section>
      <SendTest storeId={storeId} webhookId={webhookId} />
    </SimpleGrid>
  );
}

function Advice({ webhook: { dialect, enabled, failureStreak } }: { webhook: Webhook }) {
  if (enabled && failureStreak === 0) return null;
  return (
    <Text size="sm" c="dimmed">
      {adviceOf(dialect, enabled)}
    </Text>
  );
}

function adviceOf(dialect: Webhook["dialect"], enabled: boolean): string {
  if (!enabled) return "Deliveries are recorded as skipped. Enable the webhook, then redeliver them.";
  return dialect === "greenfield"
    ? "What failed may be retried automatically for about an hour. Fix the endpoint, then redeliver the rest."
    : "Each event is sent once. Fix the endpoint, send a test event, then redeliver the failed deliveries.";
}
