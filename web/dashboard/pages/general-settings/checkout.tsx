import { ColorSwatch, Switch, type SwitchProps, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { type Mails, mailsPath } from "../../api/mails";
import { apiQuery } from "../../api/queries";
import type { Store } from "../../api/shapes";
import { SettingsForm } from "./settings-form";

const CheckoutPreview = lazy(async () => ({ default: (await import("./preview")).CheckoutPreview }));

interface Values extends Record<string, unknown> {
  branding: { logoUrl: string; color: string };
  sellerDetails: string;
  redirectAutomatically: boolean;
  receiptsByMail: boolean;
}

const lookOf = ({ branding: { logoUrl, color }, sellerDetails }: Values) => ({
  branding: { logoUrl: logoUrl.trim() || null, color: color.trim() || null },
  sellerDetails: sellerDetails.trim() || null,
});

export function CheckoutSettings({ store }: { store: Store }) {
  const { branding, sellerDetails, redirectAutomatically, receiptsByMail } = store;
  return (
    <SettingsForm<Values>
      store={store}
      title="Checkout"
      intro="The page where your customers pay."
      initialValues={{
        branding: { logoUrl: branding.logoUrl ?? "", color: branding.color ?? "" },
        sellerDetails: sellerDetails ?? "",
        redirectAutomatically,
        receiptsByMail,
      }}
      bodyOf={(values) => ({ ...values, ...lookOf(values) })}
      aside={(values) => (
        <Suspense>
          <CheckoutPreview storeId={store.storeId} look={lookOf(values)} />
        </Suspense>
      )}
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
          <ReceiptSwitch
            storeId={store.storeId}
            field={form.getInputProps("receiptsByMail", { type: "checkbox" })}
          />
        </>
      )}
    </SettingsForm>
  );
}

function ReceiptSwitch({ storeId, field }: { storeId: string; field: SwitchProps }) {
  const mails = useQuery(apiQuery<Mails>(mailsPath(storeId)));
  return (
    <Switch
      label="Offer a receipt by mail"
      description={
        mails.data?.available === false
          ? "This server has no mail server yet."
          : "Customers can leave an address, which is deleted when the receipt is sent."
      }
      {...field}
    />
  );
}
