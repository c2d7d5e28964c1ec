import { Code, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { apiQuery } from "../../api/queries";
import { deliveryPath, type DeliveryDetail, type DeliveryRequest } from "../../api/webhooks";
import { CopyField } from "../../kit/copy";
import { Facts } from "../../kit/facts";
import { Loaded } from "../../kit/loaded";
import { Section } from "../../kit/section";

export function RequestSection({ storeId, delivery }: { storeId: string; delivery: DeliveryDetail }) {
  const { webhookId, deliveryId, attemptCount } = delivery;
  const query = useQuery(
    apiQuery<DeliveryRequest>(`${deliveryPath({ storeId, webhookId, deliveryId })}/request`),
  );
  return (
    <Section
      title="Request"
      intro={
        attemptCount === 0
          ? "As it will be sent. It is signed then."
          : "Of the last attempt, exactly as sent."
      }
    >
      <Loaded query={query}>
        {({ method, url, headers, body }) => (
          <Stack gap="md">
            <Code block className="breakable">{`${method} ${url}`}</Code>
            <Stack gap={6}>
              <Text size="sm" fw={500}>
                Headers
              </Text>
              <Facts facts={Object.entries(headers).toSorted(([one], [other]) => one.localeCompare(other))} />
            </Stack>
            <CopyField label="Body" value={body} description="The exact text that is signed." />
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}
