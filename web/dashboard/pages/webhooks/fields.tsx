import { Checkbox, Stack, Switch, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { EVENTS, type EventType } from "../../api/webhooks";

export interface WebhookValues {
  url: string;
  events: EventType[];
  enabled: boolean;
}

/** A shop plugin has named its events itself: not `native`. */
export const useWebhookForm = (initialValues: WebhookValues, native: boolean) =>
  useForm<WebhookValues>({
    initialValues,
    validate: { events: (events) => (native && events.length === 0 ? "Choose at least one event." : null) },
  });

export function WebhookFields(props: { form: ReturnType<typeof useWebhookForm>; native: boolean }) {
  const { form, native } = props;
  return (
    <Stack>
      <TextInput
        label="Endpoint URL"
        description="The URL of your shop that receives the requests."
        placeholder="https://shop.example/webhooks/bitcoin"
        type="url"
        inputMode="url"
        maxLength={2000}
        data-autofocus
        required
        {...form.getInputProps("url")}
      />
      {native && (
        <Checkbox.Group
          label="Events"
          description="The events that it receives."
          errorProps={{ mt: "xs" }}
          {...form.getInputProps("events")}
        >
          <Stack gap="xs" mt="xs">
            {EVENTS.map(([type, when]) => (
              <Checkbox key={type} value={type} label={type} description={when} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
      <Switch
        label="Enabled"
        description="While it is off, deliveries are recorded but not sent. You can send them later."
        {...form.getInputProps("enabled", { type: "checkbox" })}
      />
    </Stack>
  );
}
