import { Alert, Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { remove } from "../../api/call";
import { useRole } from "../../api/role";
import { methodsPath, type Wallet } from "../../api/settings";
import { useAction } from "../../kit/action";
import { confirm } from "../../kit/confirm";
import { Copyable } from "../../kit/copy";
import { Facts } from "../../kit/facts";
import { groupDigits } from "../../kit/format-money";
import { Icon } from "../../kit/icon";
import { Section } from "../../kit/section";
import { Status } from "../../kit/status";
import { Time } from "../../kit/time";
import { SCRIPT_TYPES } from "./script-types";
import { WalletSetup } from "./wallet-setup";

/** The wallet that on-chain payments go to, and the way to another. */
export function WalletSection({ storeId, wallet }: { storeId: string; wallet: Wallet | null }) {
  const { can } = useRole(storeId);
  const [replacing, { open, close }] = useDisclosure();
  return (
    <Section
      title="Bitcoin wallet"
      intro="Payments go straight to your own wallet. Only its public key is here: nobody can spend with it."
      actions={wallet === null ? <Status tone="warn">not set up</Status> : <Status tone="good">on</Status>}
    >
      {wallet !== null && <WalletFacts wallet={wallet} />}
      {wallet !== null && can("owner") && !replacing && (
        <Group gap="xs">
          <Button variant="default" onClick={open}>
            Use another wallet
          </Button>
          <RemoveWallet storeId={storeId} />
        </Group>
      )}
      {can("owner") && (wallet === null || replacing) && (
        <WalletSetup storeId={storeId} saved={close} {...(replacing ? { cancel: close } : {})} />
      )}
      {wallet === null && !can("owner") && (
        <Text size="sm">One of the store&apos;s owners can set it up here.</Text>
      )}
    </Section>
  );
}

function WalletFacts({ wallet: { scriptType, fingerprint, nextIndex, createdAt } }: { wallet: Wallet }) {
  return (
    <>
      <Facts
        facts={[
          ["Kind of addresses", SCRIPT_TYPES[scriptType]],
          ["Key's fingerprint", <Copyable key="fingerprint" value={fingerprint} label="the fingerprint" />],
          [
            "Next address",
            <span key="next" className="numeral">
              0/{groupDigits(nextIndex)}
            </span>,
          ],
          ["In use since", <Time key="since" value={createdAt} />],
        ]}
      />
      <Alert color="gray" icon={<Icon name="info" />} title="Raise your wallet's gap limit">
        Each invoice takes the next address, paid or not. Most wallets stop looking after 20 unused addresses
        in a row: payments further on are yours, and are not shown. Set the limit to 1,000 or more in the
        wallet&apos;s settings.
      </Alert>
    </>
  );
}

function RemoveWallet({ storeId }: { storeId: string }) {
  const path = methodsPath(storeId);
  const erase = useAction({
    run: () => remove(`${path}/BTC-CHAIN`),
    changes: [path, `/stores/${storeId}/home`],
    done: "The wallet is removed.",
  });
  const ask = async (): Promise<void> => {
    const body =
      "New invoices offer no on-chain payment. Addresses that were given out stay watched. If the key comes back, it goes on where it stood.";
    if (await confirm({ title: "Remove the wallet?", body, action: "Remove wallet", danger: true }))
      erase.mutate();
  };
  return (
    <Button variant="subtle" color="red" loading={erase.isPending} onClick={() => void ask()}>
      Remove
    </Button>
  );
}
