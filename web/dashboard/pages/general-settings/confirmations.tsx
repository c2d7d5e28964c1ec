import { Alert, NumberInput } from "@mantine/core";
import type { Store } from "../../api/shapes";
import { Icon } from "../../kit/icon";
import { SettingsForm } from "./settings-form";
import { Tiers, type ConfirmationValues } from "./tiers";

export function ConfirmationSettings({ store }: { store: Store }) {
  const { requiredConfirmations, confirmationTiers, zeroConfMaxSats } = store;
  return (
    <SettingsForm<ConfirmationValues>
      store={store}
      title="Confirmations"
      intro="How many blocks an on-chain payment needs before the invoice is settled. Lightning is settled at once."
      initialValues={{ requiredConfirmations, confirmationTiers, zeroConfMaxSats: zeroConfMaxSats ?? "" }}
      bodyOf={(values) => ({ ...values, zeroConfMaxSats: values.zeroConfMaxSats || null })}
    >
      {(form) => (
        <>
          <NumberInput
            label="Confirmations"
            description="Usually 1. A block takes about ten minutes."
            min={0}
            max={100}
            allowDecimal={false}
            {...form.getInputProps("requiredConfirmations")}
          />
          <Tiers form={form} />
          <NumberInput
            label="Zero confirmations up to (optional)"
            description="Up to this price, 0 confirmations can be set, above or for a single invoice. Empty: never."
            suffix=" sats"
            thousandSeparator=" "
            min={1}
            allowDecimal={false}
            {...form.getInputProps("zeroConfMaxSats")}
          />
          {form.values.zeroConfMaxSats !== "" && <ZeroConfRisk />}
        </>
      )}
    </SettingsForm>
  );
}

function ZeroConfRisk() {
  return (
    <Alert color="yellow" icon={<Icon name="triangle-alert" />} title="Risk: you may lose these payments">
      An unconfirmed payment can be replaced by its sender at any time and never arrive. Allow only what you
      can afford to lose. Payments that signal replaceability still need one confirmation.
    </Alert>
  );
}
