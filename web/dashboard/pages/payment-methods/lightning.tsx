import { Alert, Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { put, remove } from "../../api/call";
import { apiQuery } from "../../api/queries";
import { useRole } from "../../api/role";
import { useUser } from "../../api/session";
import { methodsPath, type CheckStep, type Lightning, type ServerInfo } from "../../api/settings";
import { useAction } from "../../kit/form/action";
import { AskingButton } from "../../kit/form/asking-button";
import { Icon } from "../../kit/icon";
import { Section } from "../../kit/section";
import { Status, type Tone } from "../../kit/format/status";
import { ConnectNode, type NodeCheck } from "./connect-node";
import { FormerNodes } from "./former-nodes";
import { OwnNode } from "./own-node";

const SERVERS =
  "The money goes to this server's Lightning node, and its operator holds it until it is paid out.";
const YOURS =
  "Payments go straight to your own Lightning node. What is stored of its access can take payments, and cannot spend.";

const STATES: Readonly<Record<Lightning["state"], readonly [Tone, string]>> = {
  available: ["good", "on"],
  unchecked: ["busy", "connecting"],
  unavailable: ["bad", "not available"],
  "other-node": ["bad", "another node"],
};

export function LightningSection({ storeId, method }: { storeId: string; method: Lightning | null }) {
  const { can } = useRole(storeId);
  /** Shown also when the form has closed. */
  const [steps, setSteps] = useState<readonly CheckStep[] | null>(null);
  const check = { steps, setSteps };
  const [tone, word] = method === null ? (["calm", "off"] as const) : STATES[method.state];
  return (
    <Section
      title="Lightning"
      intro={method?.node === "server" ? SERVERS : YOURS}
      actions={<Status tone={tone}>{word}</Status>}
    >
      {method?.node === "store" ? (
        <OwnNode storeId={storeId} node={method} owner={can("owner")} check={check} />
      ) : (
        <>
          {can("owner") && <Connect storeId={storeId} check={check} />}
          {method === null && !can("owner") && (
            <Text size="sm">One of the store&apos;s owners can connect an LND here.</Text>
          )}
          <ServersNode storeId={storeId} method={method} />
        </>
      )}
      {can("owner") && <FormerNodes storeId={storeId} />}
    </Section>
  );
}

function Connect({ storeId, check }: { storeId: string; check: NodeCheck }) {
  const [connecting, { open, close }] = useDisclosure();
  if (connecting) return <ConnectNode storeId={storeId} check={check} close={close} />;
  return (
    <Group>
      <Button onClick={open}>Connect your LND</Button>
    </Group>
  );
}

function ServersNode({ storeId, method }: { storeId: string; method: Lightning | null }) {
  const { admin } = useUser();
  const { data: server } = useQuery(apiQuery<ServerInfo>("/server/info"));
  const exists = server?.paymentMethods.includes("BTC-LN") ?? false;
  const on = method !== null;
  return (
    <>
      {on && method.problem !== null && (
        <Alert color="yellow" icon={<Icon name="triangle-alert" />} title="The node has a problem">
          {method.problem}
        </Alert>
      )}
      {!admin && exists && (
        <Text size="sm">
          {on
            ? "Only a server admin can switch the server's node off."
            : "A server admin can also switch on the server's own node for this store: its operator would hold the money."}
        </Text>
      )}
      {admin && (on || exists) && <LightningSwitch storeId={storeId} on={on} />}
    </>
  );
}

function LightningSwitch({ storeId, on }: { storeId: string; on: boolean }) {
  const path = methodsPath(storeId);
  const change = useAction({
    run: () => (on ? remove(`${path}/BTC-LN`) : put(`${path}/BTC-LN`, { node: "server" })),
    changes: [path],
    done: on ? "Lightning is off for this store." : "Lightning is on for this store.",
  });
  const body = on
    ? "New invoices do not offer Lightning. Open invoices can still be paid with it."
    : `${SERVERS} The owner of this store has to trust them with it.`;
  const action = on ? "Switch off" : "Switch on";
  const question = { title: `${action} Lightning?`, body, action, danger: on };
  return (
    <Group>
      <AskingButton variant="default" question={question} action={change}>
        {on ? "Switch Lightning off" : "Switch Lightning on with the server's node"}
      </AskingButton>
    </Group>
  );
}
