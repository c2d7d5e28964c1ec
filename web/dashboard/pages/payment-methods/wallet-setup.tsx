import { Button, FileButton, Group, NumberInput, NativeSelect, Stack, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { post } from "../../api/call";
import { ApiError } from "../../api/problem";
import { methodsPath, type WalletPreview } from "../../api/settings";
import { useAction } from "../../kit/form/action";
import { toast } from "../../kit/toast";
import { CompareAddresses } from "./compare-addresses";
import { SCRIPT_TYPE_CHOICES } from "./script-types";
import { asksScriptType, walletBody, type WalletBody, type WalletValues } from "./wallet-body";

interface SetupProps {
  storeId: string;
  saved: () => void;
  cancel?: () => void;
}

export function WalletSetup({ storeId, saved, cancel }: SetupProps) {
  const form = useForm<WalletValues>({
    initialValues: { key: "", scriptType: "wpkh", startIndex: "", askedOf: "" },
  });
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
      if ("scriptType" in others) form.setFieldValue("askedOf", form.getValues().key);
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

type WalletForm = ReturnType<typeof useForm<WalletValues>>;

const FILE_BYTES_MAX = 64_000;

async function readFile(form: WalletForm, file: File | null): Promise<void> {
  if (file === null) return;
  if (file.size > FILE_BYTES_MAX)
    form.setFieldError("key", "This file is too large: paste the account's key (zpub, xpub …) instead.");
  else form.setFieldValue("key", await file.text());
}

function KeyFields({ form }: { form: WalletForm }) {
  return (
    <>
      <Textarea
        label="Account key or descriptor"
        description="The extended public key of an account (xpub, ypub, zpub …) or an output descriptor such as wpkh([…]xpub…/0/*). Your wallet shows it in its details. Never enter a seed or a private key."
        autosize
        minRows={2}
        maxRows={8}
        maxLength={FILE_BYTES_MAX}
        required
        spellCheck={false}
        autoComplete="off"
        {...form.getInputProps("key")}
      />
      <FileButton
        accept=".json,.txt,text/plain,application/json"
        onChange={(file) => void readFile(form, file)}
      >
        {(props) => (
          <Group>
            <Button variant="default" size="xs" {...props}>
              Read it from your wallet&apos;s file
            </Button>
          </Group>
        )}
      </FileButton>
      {asksScriptType(form.values) && (
        <NativeSelect
          label="Address type"
          description="Choose the one that your wallet uses, if the key does not say it. The next step shows whether it matches."
          data={SCRIPT_TYPE_CHOICES}
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
