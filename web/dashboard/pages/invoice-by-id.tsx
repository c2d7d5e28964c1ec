import { useQuery } from "@tanstack/react-query";
import { Navigate, useParams } from "@tanstack/react-router";
import { apiQuery } from "../api/queries";
import type { StoreOfInvoice } from "../api/shapes";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";

/** Shop plugins link without the store, and by an id without its underscore. */
export function InvoiceByIdPage() {
  const { invoiceId: named } = useParams({ from: "/inside/invoices/$invoiceId" });
  const found = useQuery(apiQuery<StoreOfInvoice>(`/invoices/${named}`));
  return (
    <Page title="Invoice">
      <Loaded query={found}>
        {({ storeId, invoiceId }) => (
          <Navigate to="/stores/$storeId/invoices/$invoiceId" params={{ storeId, invoiceId }} replace />
        )}
      </Loaded>
    </Page>
  );
}
