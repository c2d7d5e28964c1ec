import {
  Button,
  Collapse,
  Group,
  NumberInput,
  Paper,
  Select,
  Stack,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { useId } from "react";
import { post } from "../../api/call";
import { invoicesPath, type Invoice } from "../../api/invoices";
import { isFiat, rateQuery, satsAt } from "../../api/rates";
import type { Store } from "../../api/shapes";
import { formatSats } from "../../kit/format/format-money";
import { useAction } from "../../kit/form/action";
import { Icon } from "../../kit/icon";
import { bodyOf, expiriesFor, type NewInvoiceValues } from "./values";

type Form = UseFormReturnType<NewInvoiceValues>;

export function NewInvoiceForm({ store, created }: { store: Store; created: (invoice: Invoice) => void }) {
  const form = useForm<NewInvoiceValues>({
    initialValues: {
      amount: "",
      currency: store.defaultCurrency,
      metadata: { orderId: "" },
      description: "",
      expiresInSeconds: String(store.expiresInSeconds),
      redirectUrl: "",
      requiredConfirmations: "",
      paymentTolerance: "",
    },
  });
  const path = invoicesPath(store.storeId);
  const create = useAction({
    run: (values: NewInvoiceValues) => post<Invoice>(path, bodyOf(values)),
    form,
    changes: [path],
    then: created,
  });
  return (
    <Paper withBorder p={{ base: "md", sm: "lg" }}>
      <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
        <Stack>
          <MainFields form={form} store={store} />
          <MoreFields form={form} store={store} />
          <Group>
            <Button type="submit" loading={create.isPending}>
              Create invoice
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}

/** Any other may be typed. */
const COMMON = ["EUR", "USD", "GBP", "CHF", "BTC", "SATS"];

function MainFields({ form, store }: { form: Form; store: Store }) {
  const currencies = useId();
  const { amount, currency } = form.values;
  const sats = useSats(store.storeId, amount, currency);
  return (
    <>
      <Group grow align="flex-start" preventGrowOverflow={false}>
        <TextInput
          label="Amount"
          description={sats === null ? "As your customer sees it." : `≈ ${formatSats(sats)} now`}
          inputMode="decimal"
          placeholder="12.50"
          required
          autoFocus
          {...form.getInputProps("amount")}
        />
        <TextInput
          label="Currency"
          description="Any ISO 4217 code, BTC or SATS."
          placeholder="EUR, USD, BTC, SATS …"
          required
          list={currencies}
          {...form.getInputProps("currency")}
          onChange={({ currentTarget }) => form.setFieldValue("currency", currentTarget.value.toUpperCase())}
        />
        <datalist id={currencies}>
          {[...new Set([store.defaultCurrency, ...COMMON])].map((currency) => (
            <option key={currency} value={currency} />
          ))}
        </datalist>
      </Group>
      <Textarea
        label="Description (optional)"
        description="Shown to the customer on the payment page."
        autosize
        maxLength={500}
        {...form.getInputProps("description")}
      />
      <TextInput
        label="Order ID (optional)"
        description="Your own reference. The invoice's ID if empty."
        maxLength={200}
        {...form.getInputProps("metadata.orderId")}
      />
      <Select
        label="Price valid for"
        data={expiriesFor(store.expiresInSeconds)}
        allowDeselect={false}
        {...form.getInputProps("expiresInSeconds")}
      />
    </>
  );
}

function useSats(storeId: string, amount: string, currency: string): number | null {
  const { data } = useQuery({ ...rateQuery(storeId, currency), enabled: isFiat(currency) });
  const price = Number(amount.trim().replace(",", "."));
  const rate = isFiat(currency) ? data?.data[0]?.rate : undefined;
  return price > 0 && rate !== undefined ? satsAt(price, rate) : null;
}

function MoreFields({ form, store }: { form: Form; store: Store }) {
  const [opened, { toggle }] = useDisclosure();
  const id = useId();
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        rightSection={<Icon name={opened ? "chevron-down" : "chevron-right"} size={14} />}
        aria-expanded={opened}
        aria-controls={id}
        onClick={toggle}
      >
        More
      </Button>
      <Collapse expanded={opened} id={id}>
        <Stack pt="sm">
          <TextInput
            label="Customer returns to (optional)"
            description="{invoiceId} and {orderId} are filled in."
            type="url"
            {...form.getInputProps("redirectUrl")}
          />
          <NumberInput
            label="Confirmations needed (optional)"
            description={`The store's: ${store.requiredConfirmations}, or more for large amounts.`}
            min={0}
            max={100}
            allowDecimal={false}
            {...form.getInputProps("requiredConfirmations")}
          />
          <NumberInput
            label="Tolerance in per cent (optional)"
            description={`How much less than the price still counts as paid. The store's: ${store.paymentTolerance}.`}
            min={0}
            max={99.99}
            {...form.getInputProps("paymentTolerance")}
          />
        </Stack>
      </Collapse>
    </div>
  );
}
