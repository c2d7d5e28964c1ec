import { Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { put } from "../../api/call";
import { apiQuery } from "../../api/queries";
import { useRole } from "../../api/role";
import type { Store } from "../../api/shapes";
import { useAction } from "../../kit/form/action";
import { AskingButton } from "../../kit/form/asking-button";
import { Loaded } from "../../kit/loaded";
import { Section } from "../../kit/section";
import { Status } from "../../kit/format/status";

const OFF =
  "An API key can set the store's first wallet and its first Lightning node, and change neither. If a key is stolen, payments still go to yours.";
const ON =
  "Every API key with full access can replace and remove the wallet and the Lightning node. Anybody who steals one can redirect your customers' payments.";

/** A stolen key would do just that. */
export function WalletKeysSection({ storeId }: { storeId: string }) {
  const store = useQuery(apiQuery<Store>(`/stores/${storeId}`));
  return (
    <Section title="Wallet changes by API key">
      <Loaded query={store}>
        {({ walletChangesByKey: on }) => <WalletKeys storeId={storeId} on={on} />}
      </Loaded>
    </Section>
  );
}

function WalletKeys({ storeId, on }: { storeId: string; on: boolean }) {
  const { can } = useRole(storeId);
  return (
    <>
      <Group gap="xs">
        <Status tone={on ? "warn" : "good"}>{on ? "allowed" : "not allowed"}</Status>
      </Group>
      <Text size="sm">{on ? ON : OFF}</Text>
      {can("owner") && <WalletKeysSwitch storeId={storeId} on={on} />}
    </>
  );
}

function WalletKeysSwitch({ storeId, on }: { storeId: string; on: boolean }) {
  const change = useAction({
    run: () => put(`/stores/${storeId}/wallet-changes-by-key`, { allowed: !on }),
    changes: [`/stores/${storeId}`],
    done: on ? "API keys can no longer change the wallet." : "API keys can now change the wallet.",
  });
  const question = on
    ? { title: "Disallow wallet changes by API key?", body: OFF, action: "Disallow", danger: false }
    : {
        title: "Allow wallet changes by API key?",
        body: `${ON} All owners are notified.`,
        action: "Allow",
        danger: true,
      };
  return (
    <Group>
      <AskingButton variant="default" question={question} action={change}>
        {on ? "Disallow wallet changes by API key" : "Allow wallet changes by API key"}
      </AskingButton>
    </Group>
  );
}
