import { NumberInput, Switch } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { Store } from "../../api/shapes";
import { DurationInput } from "./duration-input";
import { SettingsForm } from "./settings-form";

interface Values extends Record<string, unknown> {
  expiresInSeconds: number | string;
  monitoringSeconds: number | string;
  paymentTolerance: number | string;
  maxInvoiceSats: number | string;
  privateRouteHints: boolean;
  lazyAddresses: boolean;
}

export function InvoiceSettings({ store }: { store: Store }) {
  const { expiresInSeconds, monitoringSeconds, paymentTolerance, maxInvoiceSats } = store;
  const { privateRouteHints, lazyAddresses } = store;
  return (
    <SettingsForm<Values>
      store={store}
      title="Invoices"
      intro="Existing invoices keep their settings."
      initialValues={{
        expiresInSeconds,
        monitoringSeconds,
        paymentTolerance,
        maxInvoiceSats: maxInvoiceSats ?? "",
        privateRouteHints,
        lazyAddresses,
      }}
      bodyOf={(values) => ({ ...values, maxInvoiceSats: values.maxInvoiceSats || null })}
    >
      {(form) => (
        <>
          <DurationInput
            label="Price valid for"
            description="The invoice expires after this time: from half a minute to 30 days."
            unit="minutes"
            {...form.getInputProps("expiresInSeconds")}
          />
          <DurationInput
            label="Monitored after expiry for"
            description="During this time late payments still change the invoice. After it, a payment only asks for your review."
            unit="hours"
            {...form.getInputProps("monitoringSeconds")}
          />
          <NumberInput
            label="Tolerance"
            description="How much less than the price still counts as paid."
            suffix=" %"
            min={0}
            max={99.9999}
            decimalScale={4}
            {...form.getInputProps("paymentTolerance")}
          />
          <NumberInput
            label="Largest invoice (optional)"
            description="A higher price is refused: a fuse against a wrong amount. 100 000 000 sats are one bitcoin. Empty: no limit."
            suffix=" sats"
            thousandSeparator=" "
            min={1}
            allowDecimal={false}
            {...form.getInputProps("maxInvoiceSats")}
          />
          <AddressSettings form={form} />
        </>
      )}
    </SettingsForm>
  );
}

function AddressSettings({ form }: { form: UseFormReturnType<Values> }) {
  return (
    <>
      <Switch
        label="Allocate an address only when the customer opens the payment page"
        description="Invoices that nobody opens use no address, so your own wallet stays within its gap limit."
        {...form.getInputProps("lazyAddresses", { type: "checkbox" })}
      />
      <Switch
        label="Private route hints"
        description="Lightning invoices name the node's private channels. For a node without a public channel."
        {...form.getInputProps("privateRouteHints", { type: "checkbox" })}
      />
    </>
  );
}
