import { Group, Stack, Text } from "@mantine/core";
import type { StoreHome } from "../../api/home";
import { TextLink } from "../../kit/links";
import { Section } from "../../kit/section";
import { FAILED_COUNTED, FailedLink, WebhookBadge } from "../../kit/format/webhook-badge";

export function WebhooksSection({ storeId, home: { webhooks } }: { storeId: string; home: StoreHome }) {
  return (
    <Section title="Webhooks">
      {webhooks.length === 0 ? (
        <Text size="sm" c="dimmed">
          None yet.{" "}
          <TextLink to="/stores/$storeId/webhooks" params={{ storeId }}>
            Register one
          </TextLink>{" "}
          to notify your shop of each payment.
        </Text>
      ) : (
        <Stack gap="md">
          {webhooks.map((webhook) => (
            <Stack key={webhook.webhookId} gap={4}>
              <Group gap="xs">
                <WebhookBadge {...webhook} failed={webhook.failedDeliveries} />
              </Group>
              <Text size="sm" className="breakable">
                <TextLink
                  to="/stores/$storeId/webhooks/$webhookId"
                  params={{ storeId, webhookId: webhook.webhookId }}
                >
                  {webhook.url}
                </TextLink>
              </Text>
              {webhook.failedDeliveries > 0 && (
                <Text size="xs">
                  <FailedLink storeId={storeId} webhookId={webhook.webhookId}>
                    {failedOf(webhook.failedDeliveries)}
                  </FailedLink>
                </Text>
              )}
            </Stack>
          ))}
        </Stack>
      )}
    </Section>
  );
}

function failedOf(count: number): string {
  const number = count >= FAILED_COUNTED ? `${FAILED_COUNTED} or more` : String(count);
  return `${number} ${count === 1 ? "delivery" : "deliveries"} failed and can be redelivered.`;
}
