import { Button, Group, NumberInput, Select, Stack, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { post } from "../../api/call";
import { ApiError } from "../../api/problem";
import { methodsPath, type WalletPreview } from "../../api/settings";
import { useAction } from "../../kit/form/action";
import { toast } from "../../kit/toast";
import { CompareAddresses } from "./compare-addresses";
import { SCRIPT_TYPE_CHOICES } from "./script-types";
import { leavesScriptOpen, walletBody, type WalletBody, type WalletValues } from "./wallet-body";

interface SetupProps {
  storeId: string;
  saved: () => void;
  cancel?: () => void;
}

/** Asks for a key, and shows its addresses before it is kept. */
export function WalletSetup({ storeId, saved, cancel }: SetupProps) {
  const form = useForm<WalletValues>({ initialValues: { key: "", scriptType: "wpkh", startIndex: "" } });
  const [shown, setShown] = useState<{ body: WalletBody; preview: WalletPreview } | null>(null);
  const look = useAction({
    run: async (body: WalletBody) => ({
      body,
      preview: await post<WalletPreview>(`${methodsPath(storeId)}/BTC-CHAIN/preview`, { ...body, count: 5 }),
    }),
    then: setShown,
    quiet: true,
    failed(error) {
      const { xpub, descriptor, ...others } = error instanceof ApiError ? error.fields : {};
      const key = xpub ?? descriptor;
      const fields = { ...others, ...(key === undefined ? {} : { key }) };
      if (Object.keys(fields).length > 0) form.setErrors(fields);
      else toast.failed(error);
    },
  });
  if (shown !== null)
    return <CompareAddresses storeId={storeId} {...shown} saved={saved} back={() => setShown(null)} />;
  return (
    <form onSubmit={form.onSubmit((values) => look.mutate(walletBody(values)))}>
      <Stack>
        <KeyFields form={form} />
        <Group gap="xs">
          <Button type="submit" loading={look.isPending}>
            Show the first addresses
          </Button>
          {cancel !== undefined && (
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

function KeyFields({ form }: { form: ReturnType<typeof useForm<WalletValues>> }) {
  return (
    <>
      <Textarea
        label="Account key or descriptor"
        description="The extended public key of an account (xpub, ypub, zpub …) or an output descriptor such as wpkh([…]xpub…/0/*). Your wallet shows it in its details. Never enter a seed or a private key."
        autosize
        minRows={2}
        maxLength={1000}
        required
        spellCheck={false}
        autoComplete="off"
        {...form.getInputProps("key")}
      />
      {leavesScriptOpen(form.values.key) && (
        <Select
          label="Address type"
          description="An xpub does not contain it: choose the one that your wallet uses. The next step shows whether it matches."
          data={SCRIPT_TYPE_CHOICES}
          allowDeselect={false}
          {...form.getInputProps("scriptType")}
        />
      )}
      <NumberInput
        label="Start index (optional)"
        description="To skip addresses that were used before: the index of the first free one, at most 10,000 above the last one that was used here."
        min={0}
        max={0x7fff_ffff}
        allowDecimal={false}
        hideControls
        {...form.getInputProps("startIndex")}
      />
    </>
  );
}
