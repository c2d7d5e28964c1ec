import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { remove } from "../../api/call";
import { connectNode } from "../../api/connect-node";
import { methodsPath, type Lightning } from "../../api/settings";
import { Copyable } from "../../kit/copy";
import { Facts } from "../../kit/facts";
import { useAction } from "../../kit/form/action";
import { AskingButton } from "../../kit/form/asking-button";
import { groupDigits } from "../../kit/format/format-money";
import { Time } from "../../kit/format/time";
import { Icon } from "../../kit/icon";
import { CheckSteps } from "./check-steps";
import { ConnectNode, type NodeCheck } from "./connect-node";

interface OwnNodeProps {
  storeId: string;
  node: Lightning;
  owner: boolean;
  check: NodeCheck;
}

export function OwnNode({ storeId, node, owner, check }: OwnNodeProps) {
  const [replacing, { open, close }] = useDisclosure();
  const replace = (): void => {
    check.setSteps(null);
    open();
  };
  const { address, nodeKey, network, receivableSats, certificateExpiresAt, createdAt } = node;
  return (
    <>
      <Facts
        facts={[
          ["Address", address],
          [
            "Node key",
            nodeKey === null ? null : <Copyable key="key" value={nodeKey} label="the node's key" />,
          ],
          ["Network", network],
          ["Can receive", receivableSats === null ? null : `${groupDigits(receivableSats)} sats`],
          [
            "Certificate expires",
            certificateExpiresAt === null ? null : <Time key="until" value={certificateExpiresAt} />,
          ],
          ["In use since", <Time key="since" value={createdAt} />],
        ]}
      />
      {node.problem !== null && (
        <Alert color="yellow" icon={<Icon name="triangle-alert" />} title="The node has a problem">
          {node.problem}
        </Alert>
      )}
      {owner && !replacing && (
        <>
          <Reconnect storeId={storeId} node={node} check={check} />
          <Group gap="xs">
            <Button variant="default" onClick={replace}>
              Connect another way, or another node
            </Button>
            <RemoveNode storeId={storeId} check={check} />
          </Group>
        </>
      )}
      {replacing && <ConnectNode storeId={storeId} check={check} close={close} />}
    </>
  );
}

/** Also takes a renewed certificate; another node only when it is confirmed. */
function Reconnect({ storeId, node, check }: Omit<OwnNodeProps, "owner">) {
  const { steps, setSteps } = check;
  const otherNode = node.state === "other-node";
  const path = methodsPath(storeId);
  const reconnect = useAction({
    run() {
      setSteps([]);
      return connectNode(`/stores/${storeId}/lightning/reconnect`, { otherNode }, (step) =>
        setSteps((before) => [...(before ?? []), step]),
      );
    },
    changes: [path, `/stores/${storeId}/alerts`],
    done: "The node is connected.",
  });
  const question = {
    title: "Use the node that answers now?",
    body: "Another node than the one you connected answers at this address. Confirm it only if you have replaced your node yourself: from then on your customers pay to it.",
    action: "Use it",
    danger: true,
  };
  return (
    <Stack gap="xs">
      {otherNode && (
        <Alert color="red" icon={<Icon name="triangle-alert" />} title="Another node answers at this address">
          <Text size="sm">
            It is not used, and new invoices offer no Lightning, until an owner confirms it.
          </Text>
        </Alert>
      )}
      <Group>
        {otherNode ? (
          <AskingButton variant="default" question={question} action={reconnect}>
            Use the node that answers now
          </AskingButton>
        ) : (
          <Button variant="default" loading={reconnect.isPending} onClick={() => reconnect.mutate()}>
            Check again, and take a renewed certificate
          </Button>
        )}
      </Group>
      {steps !== null && <CheckSteps steps={steps} running={reconnect.isPending} />}
    </Stack>
  );
}

function RemoveNode({ storeId, check }: Pick<OwnNodeProps, "storeId" | "check">) {
  const path = methodsPath(storeId);
  const erase = useAction({
    run: () => remove(`${path}/BTC-LN`),
    changes: [path, `/stores/${storeId}/home`, `/stores/${storeId}/lightning/former`],
    done: "The node is removed.",
    then: () => check.setSteps(null),
  });
  const body =
    "New invoices do not offer Lightning. Open BOLT11s are cancelled at the node; while it is away, they may still be paid. What is paid counts.";
  return (
    <AskingButton
      variant="subtle"
      color="red"
      question={{ title: "Remove the node?", body, action: "Remove node", danger: true }}
      action={erase}
    >
      Remove
    </AskingButton>
  );
}
