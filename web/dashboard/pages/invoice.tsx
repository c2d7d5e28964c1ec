import { Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Navigate, useParams } from "@tanstack/react-router";
import { invoicePath, orderIdOf, type Invoice } from "../api/invoices";
import { apiQuery } from "../api/queries";
import { TextLink } from "../kit/links";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";
import { InvoiceBadge, Status } from "../kit/format/status";
import { InvoiceActions } from "./invoice/actions";
import { AmountsSection } from "./invoice/amounts";
import { DeliveriesSection } from "./invoice/deliveries";
import { DetailsSection } from "./invoice/details";
import { PaymentsSection } from "./invoice/payments";
import { Meaning } from "./invoice/meaning";
import { RefundSection } from "./invoice/refund";
import { Stepper } from "./invoice/stepper";
import { HistorySection } from "./invoice/history";
import { WaysToPaySection } from "./invoice/ways-to-pay";

export function InvoicePage() {
  const { storeId, invoiceId } = useParams({ from: "/inside/stores/$storeId/invoices/$invoiceId" });
  const query = useQuery(apiQuery<Invoice>(invoicePath(storeId, invoiceId)));
  const { data } = query;
  return (
    <Page
      title={data === undefined ? "Invoice" : orderIdOf(data)}
      back={
        <TextLink to="/stores/$storeId/invoices" params={{ storeId }}>
          Invoices
        </TextLink>
      }
      actions={data !== undefined && <InvoiceActions invoice={data} />}
    >
      <Loaded query={query} lines={8}>
        {(invoice) =>
          invoice.invoiceId === invoiceId ? (
            <InvoiceDetail key={invoiceId} invoice={invoice} />
          ) : (
            <Navigate
              to="/stores/$storeId/invoices/$invoiceId"
              params={{ storeId, invoiceId: invoice.invoiceId }}
              replace
            />
          )
        }
      </Loaded>
    </Page>
  );
}

function InvoiceDetail({ invoice }: { invoice: Invoice }) {
  return (
    <Stack gap="lg">
      <Stack gap="xs">
        <Group gap="xs">
          <InvoiceBadge {...invoice} />
          {invoice.archived && (
            <Status tone="calm" icon="archive">
              archived
            </Status>
          )}
          <Meaning invoice={invoice} />
        </Group>
        {invoice.description !== null && <Text className="breakable">{invoice.description}</Text>}
      </Stack>
      <Stepper invoice={invoice} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <AmountsSection invoice={invoice} />
        <WaysToPaySection invoice={invoice} />
      </SimpleGrid>
      <RefundSection invoice={invoice} />
      <PaymentsSection invoice={invoice} />
      <DeliveriesSection invoice={invoice} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <HistorySection invoice={invoice} />
        <DetailsSection invoice={invoice} />
      </SimpleGrid>
    </Stack>
  );
}
