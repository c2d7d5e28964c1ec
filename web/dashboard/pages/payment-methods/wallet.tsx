import { Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { remove } from "../../api/call";
import { useRole } from "../../api/role";
import { methodsPath, type Wallet } from "../../api/settings";
import { useAction } from "../../kit/action";
import { AskingButton } from "../../kit/asking-button";
import { Section } from "../../kit/section";
import { Status } from "../../kit/status";
import { WalletFacts } from "./wallet-facts";
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
      {wallet !== null && <WalletFacts storeId={storeId} wallet={wallet} />}
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

function RemoveWallet({ storeId }: { storeId: string }) {
  const path = methodsPath(storeId);
  const erase = useAction({
    run: () => remove(`${path}/BTC-CHAIN`),
    changes: [path, `/stores/${storeId}/home`],
    done: "The wallet is removed.",
  });
  const body =
    "New invoices offer no on-chain payment. Addresses that were given out stay watched. If the key comes back, it goes on where it stood.";
  return (
    <AskingButton
      variant="subtle"
      color="red"
      question={{ title: "Remove the wallet?", body, action: "Remove wallet", danger: true }}
      action={erase}
    >
      Remove
    </AskingButton>
  );
}
