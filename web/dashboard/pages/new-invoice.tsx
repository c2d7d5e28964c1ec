import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { Invoice } from "../api/invoices";
import { apiQuery } from "../api/queries";
import type { Store } from "../api/shapes";
import { CopyField } from "../kit/copy";
import { Empty } from "../kit/empty";
import { ButtonLink, TextLink } from "../kit/links";
import { Loaded } from "../kit/loaded";
import { Amount, Sats } from "../kit/format/money";
import { Page } from "../kit/page";
import { Qr } from "../kit/qr";
import { Section } from "../kit/section";
import { Time } from "../kit/format/time";
import { NewInvoiceForm } from "./new-invoice/form";

export function NewInvoicePage() {
  const { storeId } = useParams({ from: "/inside/stores/$storeId/invoices/new" });
  const store = useQuery(apiQuery<Store>(`/stores/${storeId}`));
  const methods = useQuery(apiQuery<{ data: { type: string }[] }>(`/stores/${storeId}/payment-methods`));
  const [created, setCreated] = useState<Invoice | null>(null);
  return (
    <Page
      title="New invoice"
      narrow
      back={
        <TextLink to="/stores/$storeId/invoices" params={{ storeId }}>
          Invoices
        </TextLink>
      }
    >
      <Loaded query={methods}>
        {({ data }) => {
          if (data.length === 0) return <NoWallet storeId={storeId} />;
          if (created !== null) return <Created invoice={created} again={() => setCreated(null)} />;
          return (
            <Loaded query={store}>
              {(settings) => <NewInvoiceForm store={settings} created={setCreated} />}
            </Loaded>
          );
        }}
      </Loaded>
    </Page>
  );
}

function NoWallet({ storeId }: { storeId: string }) {
  const action = (
    <ButtonLink to="/stores/$storeId/settings/payment-methods" params={{ storeId }}>
      Set up a wallet
    </ButtonLink>
  );
  return (
    <Empty icon="wallet" title="Where would the payment go?" action={action}>
      The store has no wallet yet. Add your wallet's public key to take payments.
    </Empty>
  );
}

function Created({ invoice, again }: { invoice: Invoice; again: () => void }) {
  const { storeId, invoiceId, amount, currency, dueSats, expiresAt, checkoutUrl } = invoice;
  return (
    <Section title="The invoice is ready">
      <Stack>
        <Text role="status">
          <Amount amount={amount} currency={currency} />
          {currency !== "SATS" && (
            <>
              {" "}
              (<Sats value={dueSats} />)
            </>
          )}
          , to be paid by <Time value={expiresAt} />. Send this link to the customer:
        </Text>
        <CopyField label="Payment link" value={checkoutUrl} />
        <Qr text={checkoutUrl} label="QR code of the payment link" size={180} />
        <Group gap="xs">
          <ButtonLink to="/stores/$storeId/invoices/$invoiceId" params={{ storeId, invoiceId }}>
            Open the invoice
          </ButtonLink>
          <Button variant="default" onClick={again}>
            Create another
          </Button>
        </Group>
      </Stack>
    </Section>
  );
}
