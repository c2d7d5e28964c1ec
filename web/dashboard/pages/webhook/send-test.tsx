import { Button, Group, Select } from "@mantine/core";
import { useState } from "react";
import { post } from "../../api/call";
import { useRole } from "../../api/role";
import { deliveriesPath, EVENTS, webhookPath, type EventType } from "../../api/webhooks";
import { useAction } from "../../kit/form/action";
import { Icon } from "../../kit/icon";
import { Section } from "../../kit/section";

const TYPES = EVENTS.map(([type]) => type);

export function SendTest(webhook: { storeId: string; webhookId: string }) {
  const [type, setType] = useState<EventType>("Settled");
  const { can } = useRole(webhook.storeId);
  const send = useAction({
    run: () => post(`${webhookPath(webhook)}/test`, { type }),
    changes: [deliveriesPath(webhook)],
    done: "The test event is being sent. Its result appears in the list below.",
  });
  if (!can("member")) return null;
  return (
    <Section
      title="Test it"
      intro="Sends a made-up event, signed like a real one. Its invoice does not exist, and its header X-Service-Test says so."
    >
      <Group align="flex-end" gap="xs">
        <Select
          label="Event"
          data={TYPES}
          value={type}
          allowDeselect={false}
          onChange={(value) => setType(TYPES.find((known) => known === value) ?? "Settled")}
          flex="1 1 10rem"
        />
        <Button
          variant="default"
          leftSection={<Icon name="send" size={16} />}
          loading={send.isPending}
          onClick={() => send.mutate()}
        >
          Send test event
        </Button>
      </Group>
    </Section>
  );
}
