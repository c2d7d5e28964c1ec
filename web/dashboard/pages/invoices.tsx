import { Box, Button } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { invoicesPath, type Invoice } from "../api/invoices";
import { apiList } from "../api/queries";
import { useRole } from "../api/role";
import { Empty } from "../kit/empty";
import { Icon } from "../kit/icon";
import { ButtonLink } from "../kit/links";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";
import { useToday } from "../kit/today";
import { ExportMenu, ExportProgress, useExport } from "../kit/export";
import { Filters } from "./invoices/filters";
import { invoiceQuery, readInvoiceSearch, type InvoiceSearch } from "./invoices/search";
import { InvoicesTable } from "./invoices/table";

const ROUTE = "/inside/stores/$storeId/invoices";

export function InvoicesPage() {
  const { storeId } = useParams({ from: ROUTE });
  const search = useSearch({ from: ROUTE });
  const navigate = useNavigate();
  const query = invoiceQuery(search);
  const path = invoicesPath(storeId);
  const invoices = useInfiniteQuery({
    ...apiList<Invoice>(path, query),
    placeholderData: keepPreviousData,
  });
  const exporting = useExport(path, query, `invoices-${useToday(storeId)}`);
  const go = (next: InvoiceSearch): void =>
    void navigate({ to: "/stores/$storeId/invoices", params: { storeId }, search: next, replace: true });
  const clear = (): void => go({});
  const filtered = Object.keys(search).length > 0;
  return (
    <Page title="Invoices" actions={<NewInvoice storeId={storeId} />}>
      <Filters search={search} change={(part) => go(readInvoiceSearch({ ...search, ...part }))} clear={clear}>
        <ExportMenu busy={exporting.progress !== null} start={exporting.start} />
      </Filters>
      <ExportProgress {...exporting} />
      <Loaded query={invoices} lines={8}>
        {(rows) => (
          <Box opacity={invoices.isPlaceholderData ? 0.5 : 1} aria-busy={invoices.isPlaceholderData}>
            <InvoicesTable
              rows={rows}
              more={invoices}
              empty={filtered ? <NothingFound clear={clear} /> : <NoInvoices storeId={storeId} />}
            />
          </Box>
        )}
      </Loaded>
    </Page>
  );
}

function NewInvoice({ storeId }: { storeId: string }) {
  const { can } = useRole(storeId);
  if (!can("member")) return null;
  return (
    <ButtonLink to="/stores/$storeId/invoices/new" params={{ storeId }} leftSection={<Icon name="plus" />}>
      New invoice
    </ButtonLink>
  );
}

function NothingFound({ clear }: { clear: () => void }) {
  const action = (
    <Button variant="default" onClick={clear}>
      Show all invoices
    </Button>
  );
  return (
    <Empty icon="search" title="No matching invoices" action={action}>
      Each word must be a part of the order ID or the description, or an amount such as 49.90 or €49.90.
      Invoice IDs, addresses, txids and payment hashes are found only when they are complete.
    </Empty>
  );
}

function NoInvoices({ storeId }: { storeId: string }) {
  return (
    <Empty icon="file-text" title="No invoices yet" action={<NewInvoice storeId={storeId} />}>
      Your shop creates invoices over the API with an API key. You can also create one by hand and send its
      link to a customer.
    </Empty>
  );
}
