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
            description="Usually 1; a block takes about ten minutes."
            min={0}
            max={100}
            allowDecimal={false}
            {...form.getInputProps("requiredConfirmations")}
          />
          <Tiers form={form} />
          <NumberInput
            label="Zero confirmations up to (optional)"
            description="Empty: never. Up to this price, 0 confirmations may be asked for, above or for one invoice."
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
    <Alert color="yellow" icon={<Icon name="triangle-alert" />} title="Risk: you may lose such a payment">
      A payment that is in no block can be replaced by its sender, whatever it signals, and never arrive.
      Allow only what you can afford to lose. Payments that announce it are still asked for one confirmation.
    </Alert>
  );
}
