import { Anchor, Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { paymentLinksPath, priceOf, type PaymentLink } from "../api/payment-links";
import { apiList, apiQuery } from "../api/queries";
import { useRole } from "../api/role";
import type { Store } from "../api/shapes";
import { DataTable, type Column } from "../kit/data-table";
import { Empty } from "../kit/empty";
import { Time } from "../kit/format/time";
import { Icon } from "../kit/icon";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";
import { LinkDialog } from "./payment-links/link-dialog";
import { NewLinkDialog } from "./payment-links/new-link";

const columnsFor = (show: (link: PaymentLink) => void): Column<PaymentLink>[] => [
  {
    label: "Description",
    main: true,
    render: (link) => (
      <Anchor component="button" type="button" ta="start" className="breakable" onClick={() => show(link)}>
        {link.description}
      </Anchor>
    ),
  },
  { label: "Price", render: priceOf },
  { label: "Takes payments", render: takesPayments },
  {
    label: "Uses",
    align: "right",
    render: ({ uses, maxUses }) => (maxUses === null ? "–" : `${uses} of ${maxUses}`),
  },
  { label: "Invoices", align: "right", render: ({ invoicesCreated }) => invoicesCreated },
  { label: "Created", align: "right", render: ({ createdAt }) => <Time value={createdAt} /> },
];

function takesPayments({ archived, endsAt, uses, maxUses }: PaymentLink): string {
  if (archived) return "archived";
  if (endsAt !== null && new Date(endsAt) <= new Date()) return "ended";
  return maxUses !== null && uses !== null && uses >= maxUses ? "used up" : "yes";
}

export function PaymentLinksPage() {
  const { storeId } = useParams({ from: "/inside/stores/$storeId/payment-links" });
  const { can } = useRole(storeId);
  const { data: store } = useQuery(apiQuery<Store>(`/stores/${storeId}`));
  const links = useInfiniteQuery(apiList<PaymentLink>(paymentLinksPath(storeId)));
  const [making, { open, close }] = useDisclosure();
  const [shown, setShown] = useState<PaymentLink | null>(null);
  const make = can("member") && (
    <Button leftSection={<Icon name="plus" />} onClick={open}>
      New payment link
    </Button>
  );
  return (
    <Page
      title="Payment links"
      intro="A public page that creates an invoice for each customer: as a link, a printed code, a button, or at a till."
      actions={make}
    >
      <Loaded query={links}>
        {(rows) => (
          <DataTable
            label="Payment links"
            columns={columnsFor(setShown)}
            rows={rows}
            rowKey={({ linkId }) => linkId}
            more={links}
            empty={
              <Empty icon="link" title="No payment links yet" action={make}>
                Customers can pay without a shop: at a fixed price, a choice, or an amount that they enter.
              </Empty>
            }
          />
        )}
      </Loaded>
      <NewLinkDialog
        storeId={storeId}
        currency={store?.defaultCurrency ?? "EUR"}
        opened={making}
        close={close}
        created={setShown}
      />
      <LinkDialog storeId={storeId} link={shown} close={() => setShown(null)} />
    </Page>
  );
}
