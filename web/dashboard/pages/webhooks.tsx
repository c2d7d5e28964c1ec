import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { Fragment, useState } from "react";
import { homeQuery } from "../api/home";
import { apiList } from "../api/queries";
import { useRole } from "../api/role";
import { eventsOf, webhooksPath, type Webhook, type WebhookWithSecret } from "../api/webhooks";
import { DataTable, type Column } from "../kit/data-table";
import { Empty } from "../kit/empty";
import { Icon } from "../kit/icon";
import { RowLink } from "../kit/links";
import { Loaded } from "../kit/loaded";
import { groupDigits } from "../kit/format/format-money";
import { makerOf } from "../kit/format/maker";
import { Page } from "../kit/page";
import { SecretDialog } from "../kit/form/secret-dialog";
import { Time } from "../kit/format/time";
import { FAILED_COUNTED, FailedLink, WebhookBadge } from "../kit/format/webhook-badge";
import { RegisterDialog } from "./webhooks/register";

const columnsFor = (
  storeId: string,
  owner: boolean,
  failed: ReadonlyMap<string, number>,
): Column<Webhook>[] => [
  {
    label: "Endpoint",
    main: true,
    render: ({ webhookId, url }) => (
      <RowLink
        to="/stores/$storeId/webhooks/$webhookId"
        params={{ storeId, webhookId }}
        className="breakable"
      >
        {url.match(/[^/]+\/*/g)?.map((part, at) => (
          <Fragment key={at}>
            {part}
            <wbr />
          </Fragment>
        ))}
      </RowLink>
    ),
  },
  {
    label: "Health",
    render: (webhook) => <WebhookBadge {...webhook} failed={failed.get(webhook.webhookId) ?? 0} />,
  },
  {
    label: "Failed",
    align: "right",
    render: ({ webhookId }) => {
      const count = failed.get(webhookId) ?? 0;
      if (count === 0) return "–";
      return (
        <FailedLink storeId={storeId} webhookId={webhookId}>
          {groupDigits(count)}
          {count >= FAILED_COUNTED && "+"}
        </FailedLink>
      );
    },
  },
  { label: "Events", render: eventsOf },
  ...(owner ? [{ label: "By", render: (webhook: Webhook) => makerOf(webhook) }] : []),
  { label: "Registered", align: "right", render: ({ createdAt }) => <Time value={createdAt} /> },
];

export function WebhooksPage() {
  const { storeId } = useParams({ from: "/inside/stores/$storeId/webhooks" });
  const { can } = useRole(storeId);
  const navigate = useNavigate();
  const { data: home } = useQuery(homeQuery(storeId));
  const failed = new Map(
    home?.webhooks.map(({ webhookId, failedDeliveries }) => [webhookId, failedDeliveries]),
  );
  const webhooks = useInfiniteQuery(apiList<Webhook>(webhooksPath(storeId)));
  const [registering, { open, close }] = useDisclosure();
  const [registered, setRegistered] = useState<WebhookWithSecret | null>(null);
  const register = can("owner") && (
    <Button leftSection={<Icon name="plus" />} onClick={open}>
      Register a webhook
    </Button>
  );
  const kept = (webhookId: string): void =>
    void navigate({ to: "/stores/$storeId/webhooks/$webhookId", params: { storeId, webhookId } });
  return (
    <Page
      title="Webhooks"
      intro="Your shop receives each change of an invoice as a signed request to its endpoint."
      actions={register}
    >
      <Loaded query={webhooks}>
        {(rows) => (
          <DataTable
            label="Webhooks"
            columns={columnsFor(storeId, can("owner"), failed)}
            rows={rows}
            rowKey={({ webhookId }) => webhookId}
            more={webhooks}
            empty={
              <Empty icon="webhook" title="No webhooks yet" action={register}>
                {can("owner")
                  ? "Register the endpoint of your shop that is to be notified of payments. You get a secret with which it verifies each request."
                  : "An owner of the store can register the endpoint of your shop that is to be notified of payments."}
              </Empty>
            }
          />
        )}
      </Loaded>
      <RegisterDialog storeId={storeId} opened={registering} close={close} registered={setRegistered} />
      <SecretDialog
        title="The webhook is registered"
        label="Secret"
        secret={registered?.secret ?? null}
        kept={() => {
          if (registered !== null) kept(registered.webhookId);
        }}
      >
        <Text size="sm">
          Your shop verifies the signature of each request with this secret. It is shown only now: store it
          where your shop reads its secrets.
        </Text>
      </SecretDialog>
    </Page>
  );
}
