import { Checkbox, Stack, Switch, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { EVENTS, type EventType } from "../../api/webhooks";

export interface WebhookValues {
  url: string;
  events: EventType[];
  enabled: boolean;
}

export const useWebhookForm = (initialValues: WebhookValues) =>
  useForm<WebhookValues>({
    initialValues,
    validate: { events: (events) => (events.length === 0 ? "Choose at least one event." : null) },
  });

/** What is asked at registration, and changed later. */
export function WebhookFields({ form }: { form: ReturnType<typeof useWebhookForm> }) {
  return (
    <Stack>
      <TextInput
        label="Endpoint URL"
        description="The address of your shop that takes the requests."
        placeholder="https://shop.example/webhooks/bitcoin"
        type="url"
        inputMode="url"
        maxLength={2000}
        data-autofocus
        required
        {...form.getInputProps("url")}
      />
      <Checkbox.Group
        label="Events"
        description="What it is told of."
        errorProps={{ mt: "xs" }}
        {...form.getInputProps("events")}
      >
        <Stack gap="xs" mt="xs">
          {EVENTS.map(([type, when]) => (
            <Checkbox key={type} value={type} label={type} description={when} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Switch
        label="Switched on"
        description="While it is off, deliveries are written down and not sent; you can send them later."
        {...form.getInputProps("enabled", { type: "checkbox" })}
      />
    </Stack>
  );
}
