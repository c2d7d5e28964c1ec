import { NativeSelect, TextInput } from "@mantine/core";
import type { Store } from "../../api/shapes";
import { SettingsForm } from "./settings-form";

/** Browsers leave out UTC and names of old. */
const zonesWith = (chosen: string): string[] => [
  ...new Set(["UTC", chosen, ...Intl.supportedValuesOf("timeZone")]),
];

export function StoreSettings({ store }: { store: Store }) {
  const { name, website, supportUrl, defaultCurrency, timeZone } = store;
  return (
    <SettingsForm
      store={store}
      title="Store"
      initialValues={{
        name,
        website: website ?? "",
        supportUrl: supportUrl ?? "",
        defaultCurrency,
        timeZone,
      }}
      bodyOf={(values) => ({
        name: values.name.trim(),
        website: values.website.trim() || null,
        supportUrl: values.supportUrl.trim() || null,
        defaultCurrency: values.defaultCurrency.trim().toUpperCase(),
        timeZone: values.timeZone,
      })}
    >
      {(form) => (
        <>
          <TextInput
            label="Name"
            description="Your customers see it when they pay."
            maxLength={100}
            required
            {...form.getInputProps("name")}
          />
          <TextInput
            label="Website (optional)"
            type="url"
            placeholder="https://shop.example"
            {...form.getInputProps("website")}
          />
          <TextInput
            label="Support (optional)"
            description="Where customers get help: a URL, or mailto: and an address."
            placeholder="mailto:help@shop.example"
            {...form.getInputProps("supportUrl")}
          />
          <TextInput
            label="Default currency"
            description="Used when an invoice names no currency: USD, EUR, BTC, SATS …"
            maxLength={10}
            required
            {...form.getInputProps("defaultCurrency")}
          />
          <TimeZoneSelect store={store} field={form.getInputProps("timeZone")} />
        </>
      )}
    </SettingsForm>
  );
}

function TimeZoneSelect({ store, field }: { store: Store; field: object }) {
  const { timeZone: chosen, effectiveTimeZone: used } = store;
  return (
    <NativeSelect
      label="Time zone"
      description="Books, reports, mails, payment links and the home page count days and months in it."
      data={zonesWith(chosen)}
      {...field}
      {...(used !== chosen && {
        error: `The server does not know ${chosen} and counts in ${used}. Choose another one, or have Node.js updated.`,
      })}
    />
  );
}
