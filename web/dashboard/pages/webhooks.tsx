import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { apiList } from "../api/queries";
import { useRole } from "../api/role";
import { EVENTS, webhooksPath, type Webhook, type WebhookWithSecret } from "../api/webhooks";
import { DataTable, type Column } from "../kit/data-table";
import { Empty } from "../kit/empty";
import { Icon } from "../kit/icon";
import { RowLink } from "../kit/links";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";
import { SecretDialog } from "../kit/secret-dialog";
import { Time } from "../kit/time";
import { WebhookBadge } from "../kit/webhook-badge";
import { RegisterDialog } from "./webhooks/register";

const columnsFor = (storeId: string): Column<Webhook>[] => [
  {
    label: "Endpoint",
    main: true,
    render: ({ webhookId, url }) => (
      <RowLink
        to="/stores/$storeId/webhooks/$webhookId"
        params={{ storeId, webhookId }}
        className="breakable"
      >
        {url}
      </RowLink>
    ),
  },
  { label: "Health", render: (webhook) => <WebhookBadge {...webhook} /> },
  {
    label: "Events",
    render: ({ events }) => (events.length === EVENTS.length ? "all" : events.join(", ")),
  },
  { label: "Registered", align: "right", render: ({ createdAt }) => <Time value={createdAt} /> },
];

export function WebhooksPage() {
  const { storeId } = useParams({ from: "/inside/stores/$storeId/webhooks" });
  const { can } = useRole(storeId);
  const navigate = useNavigate();
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
      intro="Your shop is told of each change of an invoice by a signed request to an address of yours."
      actions={register}
    >
      <Loaded query={webhooks}>
        {(rows) => (
          <DataTable
            label="Webhooks"
            columns={columnsFor(storeId)}
            rows={rows}
            rowKey={({ webhookId }) => webhookId}
            more={webhooks}
            empty={
              <Empty icon="webhook" title="No webhook yet" action={register}>
                {can("owner")
                  ? "Register the address of your shop that is to hear when an invoice is paid. You get a secret, with which it checks that a request is really from here."
                  : "An owner of the store can register the address of your shop that is to hear when an invoice is paid."}
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
          Your shop checks the signature of each request with this secret. It is shown only now: put it where
          your shop reads its secrets.
        </Text>
      </SecretDialog>
    </Page>
  );
}
