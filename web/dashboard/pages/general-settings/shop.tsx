import { Group, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { Store } from "../../api/shapes";
import { AddRow, RemoveRow } from "./rows";
import { SettingsForm } from "./settings-form";

interface Values extends Record<string, unknown> {
  checkoutOrigins: string[];
}

const MOST = 20;

export function ShopSettings({ store }: { store: Store }) {
  const { checkoutOrigins } = store;
  return (
    <SettingsForm<Values>
      store={store}
      title="In your shop"
      intro="The websites that may show the checkout in a dialog with modal.js (below). Not needed for a plain link."
      initialValues={{ checkoutOrigins }}
      bodyOf={(values) => values}
    >
      {(form) => <Origins form={form} />}
    </SettingsForm>
  );
}

function Origins({ form }: { form: UseFormReturnType<Values> }) {
  const name = "checkoutOrigins";
  return (
    <>
      {form.values.checkoutOrigins.map((_, at) => (
        // Rows have no id, and are only added at the end or removed.
        <Group key={at} gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            label={`Website ${at + 1}`}
            type="url"
            placeholder="https://shop.example"
            flex={1}
            {...form.getInputProps(`${name}.${at}`)}
          />
          <RemoveRow label={`Remove website ${at + 1}`} onClick={() => form.removeListItem(name, at)} />
        </Group>
      ))}
      <AddRow
        label="Add a website"
        full={form.values.checkoutOrigins.length >= MOST}
        onClick={() => form.insertListItem(name, "")}
      />
    </>
  );
}
