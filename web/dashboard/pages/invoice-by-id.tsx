import { useQuery } from "@tanstack/react-query";
import { Navigate, useParams } from "@tanstack/react-router";
import { apiQuery } from "../api/queries";
import type { StoreOfInvoice } from "../api/shapes";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";

/** Goes on to the invoice in its store: shop plugins link to an invoice without naming the store. */
export function InvoiceByIdPage() {
  const { invoiceId } = useParams({ from: "/inside/invoices/$invoiceId" });
  const found = useQuery(apiQuery<StoreOfInvoice>(`/invoices/${invoiceId}`));
  return (
    <Page title="Invoice">
      <Loaded query={found}>
        {({ storeId }) => (
          <Navigate to="/stores/$storeId/invoices/$invoiceId" params={{ storeId, invoiceId }} replace />
        )}
      </Loaded>
    </Page>
  );
}
