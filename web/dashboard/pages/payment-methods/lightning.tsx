import { Alert, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { put, remove } from "../../api/call";
import { apiQuery } from "../../api/queries";
import { useUser } from "../../api/session";
import { methodsPath, type ServerInfo } from "../../api/settings";
import { useAction } from "../../kit/form/action";
import { AskingButton } from "../../kit/form/asking-button";
import { Icon } from "../../kit/icon";
import { Section } from "../../kit/section";
import { Status } from "../../kit/format/status";

const WHOSE =
  "The money goes to this server's Lightning node, and its operator holds it until it is paid out.";

export function LightningSection({ storeId, on }: { storeId: string; on: boolean }) {
  const { admin } = useUser();
  const { data: server } = useQuery(apiQuery<ServerInfo>("/server/info"));
  const method = server?.rails.find(({ type }) => type === "BTC-LN");
  const node = server?.paymentMethods.includes("BTC-LN");
  return (
    <Section
      title="Lightning"
      intro={WHOSE}
      actions={on ? <Status tone="good">on</Status> : <Status tone="calm">off</Status>}
    >
      {node === false && (
        <Text size="sm">This server has no Lightning node. Its operator can connect one (LND).</Text>
      )}
      {on && method !== undefined && method.problem !== null && (
        <Alert color="yellow" icon={<Icon name="triangle-alert" />} title="The node has a problem">
          {method.problem}
        </Alert>
      )}
      {!admin && node === true && (
        <Text size="sm">
          {on ? "Only a server admin can switch it off." : "A server admin can switch it on for this store."}
        </Text>
      )}
      {admin && (on || node === true) && <LightningSwitch storeId={storeId} on={on} />}
    </Section>
  );
}

function LightningSwitch({ storeId, on }: { storeId: string; on: boolean }) {
  const path = methodsPath(storeId);
  const change = useAction({
    run: () => (on ? remove(`${path}/BTC-LN`) : put(`${path}/BTC-LN`, undefined)),
    changes: [path],
    done: on ? "Lightning is off for this store." : "Lightning is on for this store.",
  });
  const body = on
    ? "New invoices do not offer Lightning. Open invoices can still be paid with it."
    : `${WHOSE} The owner of this store has to trust them with it.`;
  const action = on ? "Switch off" : "Switch on";
  const question = { title: `${action} Lightning?`, body, action, danger: on };
  return (
    <Group>
      <AskingButton variant="default" question={question} action={change}>
        {on ? "Switch Lightning off" : "Switch Lightning on"}
      </AskingButton>
    </Group>
  );
}
