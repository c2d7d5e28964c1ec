import { ColorSwatch, Switch, TextInput } from "@mantine/core";
import type { Store } from "../../api/shapes";
import { SettingsForm } from "./settings-form";

export function CheckoutSettings({ store }: { store: Store }) {
  const { branding, redirectAutomatically } = store;
  return (
    <SettingsForm
      store={store}
      title="Checkout"
      intro="The page where your customers pay."
      initialValues={{
        branding: { logoUrl: branding.logoUrl ?? "", color: branding.color ?? "" },
        redirectAutomatically,
      }}
      bodyOf={(values) => ({
        branding: {
          logoUrl: values.branding.logoUrl.trim() || null,
          color: values.branding.color.trim() || null,
        },
        redirectAutomatically: values.redirectAutomatically,
      })}
    >
      {(form) => (
        <>
          <TextInput
            label="Logo (optional)"
            description="URL of an image."
            type="url"
            placeholder="https://shop.example/logo.svg"
            {...form.getInputProps("branding.logoUrl")}
          />
          <TextInput
            label="Colour (optional)"
            description="For buttons and links, such as #f7931a."
            leftSection={<ColorSwatch color={form.values.branding.color || "transparent"} size={18} />}
            {...form.getInputProps("branding.color")}
          />
          <Switch
            label="Redirect automatically after payment"
            description="If the invoice has a URL to return to."
            {...form.getInputProps("redirectAutomatically", { type: "checkbox" })}
          />
        </>
      )}
    </SettingsForm>
  );
}
