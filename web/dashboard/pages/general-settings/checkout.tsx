import { ColorSwatch, Switch, Textarea, TextInput } from "@mantine/core";
import type { Store } from "../../api/shapes";
import { CheckoutPreview } from "./preview";
import { SettingsForm } from "./settings-form";

interface Values extends Record<string, unknown> {
  branding: { logoUrl: string; color: string };
  sellerDetails: string;
  redirectAutomatically: boolean;
}

const lookOf = ({ branding: { logoUrl, color }, sellerDetails }: Values) => ({
  branding: { logoUrl: logoUrl.trim() || null, color: color.trim() || null },
  sellerDetails: sellerDetails.trim() || null,
});

export function CheckoutSettings({ store }: { store: Store }) {
  const { branding, sellerDetails, redirectAutomatically } = store;
  return (
    <SettingsForm<Values>
      store={store}
      title="Checkout"
      intro="The page where your customers pay."
      initialValues={{
        branding: { logoUrl: branding.logoUrl ?? "", color: branding.color ?? "" },
        sellerDetails: sellerDetails ?? "",
        redirectAutomatically,
      }}
      bodyOf={(values) => ({ ...lookOf(values), redirectAutomatically: values.redirectAutomatically })}
      aside={(values) => <CheckoutPreview storeId={store.storeId} look={lookOf(values)} />}
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
          <Textarea
            label="Seller's details (optional)"
            description="Your company's name, address and tax number, for the receipt that your customers print."
            autosize
            minRows={3}
            maxRows={10}
            {...form.getInputProps("sellerDetails")}
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
