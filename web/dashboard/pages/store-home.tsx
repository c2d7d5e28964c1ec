import { SimpleGrid } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { homeQuery, type StoreHome } from "../api/home";
import { invoicesPath, type Invoice } from "../api/invoices";
import { apiQuery } from "../api/queries";
import type { Store } from "../api/shapes";
import { Empty } from "../kit/empty";
import { TextLink } from "../kit/links";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";
import { Section } from "../kit/section";
import { InvoicesTable } from "./invoices/table";
import { NextSteps } from "./store-home/next-steps";
import { NodesSection } from "./store-home/nodes";
import { ReceivedSection } from "./store-home/received";
import { StatusSection } from "./store-home/statuses";
import { Tiles } from "./store-home/tiles";
import { WebhooksSection } from "./store-home/webhooks";

export function StoreHomePage() {
  const { storeId } = useParams({ from: "/inside/stores/$storeId" });
  const store = useQuery(apiQuery<Store>(`/stores/${storeId}`));
  const home = useQuery(homeQuery(storeId));
  return (
    <Page title={store.data?.name ?? "Home"}>
      <Loaded query={home} lines={8}>
        {(data) => <Home storeId={storeId} home={data} />}
      </Loaded>
    </Page>
  );
}

function Home({ storeId, home }: { storeId: string; home: StoreHome }) {
  return (
    <>
      <NextSteps storeId={storeId} home={home} />
      <Tiles storeId={storeId} home={home} />
      <ReceivedSection home={home} />
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="lg">
        <StatusSection storeId={storeId} home={home} />
        <WebhooksSection storeId={storeId} home={home} />
        <NodesSection home={home} />
      </SimpleGrid>
      <LatestInvoices storeId={storeId} />
    </>
  );
}

const LATEST = 5;

function LatestInvoices({ storeId }: { storeId: string }) {
  const invoices = useQuery(apiQuery<{ data: Invoice[] }>(invoicesPath(storeId), { limit: LATEST }));
  const all = (
    <TextLink to="/stores/$storeId/invoices" params={{ storeId }} size="sm">
      All invoices
    </TextLink>
  );
  return (
    <Section title="Latest invoices" actions={all}>
      <Loaded query={invoices}>
        {({ data }) => (
          <InvoicesTable
            rows={data}
            empty={
              <Empty icon="file-text" title="No invoices yet">
                The invoices that your shop creates appear here as they happen.
              </Empty>
            }
          />
        )}
      </Loaded>
    </Section>
  );
}
