import { Checkbox, Group, NumberInput } from "@mantine/core";
import type { Store } from "../../api/shapes";
import { RateNow } from "./rate-now";
import { RATE_SOURCES } from "./rate-sources";
import { SettingsForm } from "./settings-form";

interface Values extends Record<string, unknown> {
  rateSpread: number | string;
  rateSources: string[];
}

export function RateSettings({ store }: { store: Store }) {
  const { rateSpread, rateSources } = store;
  return (
    <SettingsForm<Values>
      store={store}
      title="Exchange rate"
      aside={() => <RateNow store={store} />}
      initialValues={{ rateSpread, rateSources: rateSources ?? [] }}
      bodyOf={(values) => ({
        ...values,
        rateSources: values.rateSources.length === 0 ? null : values.rateSources,
      })}
    >
      {(form) => (
        <>
          <NumberInput
            label="Spread"
            description="Taken off the rate to cover your exchange costs: the customer pays that much more."
            suffix=" %"
            min={0}
            max={99.9999}
            decimalScale={4}
            {...form.getInputProps("rateSpread")}
          />
          <Checkbox.Group
            label="Sources"
            description="Two must agree on a price. If none is chosen, all sources of the server are used."
            {...form.getInputProps("rateSources")}
          >
            <Group mt="xs">
              {Object.entries(RATE_SOURCES).map(([name, label]) => (
                <Checkbox key={name} value={name} label={label} />
              ))}
            </Group>
          </Checkbox.Group>
        </>
      )}
    </SettingsForm>
  );
}
