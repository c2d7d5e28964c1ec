import { Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { remove } from "../../api/call";
import { useRole } from "../../api/role";
import { methodsPath, type Wallet } from "../../api/settings";
import { useAction } from "../../kit/form/action";
import { AskingButton } from "../../kit/form/asking-button";
import { Section } from "../../kit/section";
import { Status } from "../../kit/format/status";
import { WalletFacts } from "./wallet-facts";
import { WalletSetup } from "./wallet-setup";

export function WalletSection({ storeId, wallet }: { storeId: string; wallet: Wallet | null }) {
  const { can } = useRole(storeId);
  const [replacing, { open, close }] = useDisclosure();
  return (
    <Section
      title="Bitcoin wallet"
      intro="Payments go straight to your own wallet. Only its public key is stored, which cannot spend."
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
    "New invoices do not offer on-chain payment. Addresses already shown to customers stay watched. If you add the key again, it continues where it stopped.";
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
