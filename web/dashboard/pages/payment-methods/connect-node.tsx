import { Button, FileButton, Group, NativeSelect, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Dispatch, SetStateAction } from "react";
import { connectNode } from "../../api/connect-node";
import { ApiError } from "../../api/problem";
import { methodsPath, type CheckStep } from "../../api/settings";
import { useAction } from "../../kit/form/action";
import { toast } from "../../kit/toast";
import { CheckSteps } from "./check-steps";

interface NodeValues {
  by: "uri" | "files";
  lndconnect: string;
  address: string;
  tlsCertificate: string;
  macaroon: string;
}
const EMPTY: NodeValues = { by: "uri", lndconnect: "", address: "", tlsCertificate: "", macaroon: "" };

/** BTCPay Server's has REST's address. */
const asksForParts = ({ by, lndconnect }: NodeValues): boolean =>
  by === "files" || /^\s*type=/i.test(lndconnect);

function bodyOf(values: NodeValues): object {
  const { by, lndconnect, address, tlsCertificate, macaroon } = values;
  const parts = asksForParts(values) ? { address, tlsCertificate } : {};
  const given = by === "uri" ? { lndconnect, ...parts } : { ...parts, macaroon };
  return Object.fromEntries(Object.entries(given).filter(([, text]) => text.trim() !== ""));
}

/** The last one, which outlives the form: what it warned of is still to be read. */
export interface NodeCheck {
  steps: readonly CheckStep[] | null;
  setSteps: Dispatch<SetStateAction<readonly CheckStep[] | null>>;
}

interface ConnectProps {
  storeId: string;
  check: NodeCheck;
  close: () => void;
}

export function ConnectNode({ storeId, check: { steps, setSteps }, close }: ConnectProps) {
  const form = useForm<NodeValues>({ initialValues: EMPTY });
  const path = methodsPath(storeId);
  const connect = useAction({
    run(body: object) {
      setSteps(null);
      return connectNode(`/stores/${storeId}/lightning/connect`, body, (step) =>
        setSteps((before) => [...(before ?? []), step]),
      );
    },
    changes: [path, `/stores/${storeId}/home`, `/stores/${storeId}/alerts`],
    done: "Your node is connected. New invoices are paid to it.",
    then: close,
    quiet: true,
    failed(error) {
      const fields = error instanceof ApiError ? error.fields : {};
      if (Object.keys(fields).length > 0) form.setErrors({ ...fields });
      else if (!(error instanceof ApiError) || error.code !== "check-failed") toast.failed(error);
    },
  });
  const cancel = (): void => {
    setSteps(null);
    close();
  };
  return (
    <form aria-label="Connect your LND" onSubmit={form.onSubmit((values) => connect.mutate(bodyOf(values)))}>
      <Stack>
        <NativeSelect
          label="How you give its access"
          data={[
            { value: "uri", label: "Paste a connection URI" },
            { value: "files", label: "Address and files" },
          ]}
          {...form.getInputProps("by")}
        />
        <NodeFields form={form} />
        {(connect.isPending || steps !== null) && (
          <CheckSteps steps={steps ?? []} running={connect.isPending} />
        )}
        {connect.error instanceof ApiError && connect.error.code === "check-failed" && (
          <Text size="sm" role="alert">
            Nothing was stored.{" "}
            {steps?.some(({ outcome }) => outcome === "failed")
              ? "Change what the failed step says, and connect again."
              : connect.error.message}
          </Text>
        )}
        <Group gap="xs">
          <Button type="submit" loading={connect.isPending}>
            Check and connect
          </Button>
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type NodeForm = ReturnType<typeof useForm<NodeValues>>;

function NodeFields({ form }: { form: NodeForm }) {
  const { by } = form.values;
  return (
    <>
      {by === "uri" && (
        <Textarea
          label="Connection URI"
          description="lndconnect://… with a macaroon that cannot spend, or BTCPay Server's type=lnd-rest;… Does your node show one with its admin macaroon only? Choose “Address and files”, where the command is that makes the right macaroon."
          autosize
          minRows={2}
          maxRows={6}
          required
          spellCheck={false}
          autoComplete="off"
          {...form.getInputProps("lndconnect")}
        />
      )}
      {asksForParts(form.values) && (
        <>
          <TextInput
            label="Address"
            description="Host and port of LND's gRPC, usually port 10009."
            placeholder="node.example.com:10009"
            required
            {...form.getInputProps("address")}
          />
          <FileField
            form={form}
            name="tlsCertificate"
            label="Certificate (optional)"
            description="LND's tls.cert. Leave it out if the node is behind a proxy with a public certificate."
            button="Read tls.cert"
          />
        </>
      )}
      {by === "files" && (
        <FileField
          form={form}
          name="macaroon"
          label="Macaroon"
          description="One that can take payments and cannot spend: lncli bakemacaroon --save_to quittance.macaroon invoices:read invoices:write info:read offchain:read"
          button="Read the macaroon's file"
        />
      )}
    </>
  );
}

interface FileFieldProps {
  form: NodeForm;
  name: "tlsCertificate" | "macaroon";
  label: string;
  description: string;
  button: string;
}

/** As text, or from a file of any kind. */
function FileField({ form, name, label, description, button }: FileFieldProps) {
  return (
    <Stack gap="xs">
      <Textarea
        label={label}
        description={description}
        autosize
        minRows={1}
        maxRows={4}
        required={name === "macaroon"}
        spellCheck={false}
        autoComplete="off"
        {...form.getInputProps(name)}
      />
      <FileButton onChange={(file) => void readFile(form, name, file)}>
        {(props) => (
          <Group>
            <Button variant="default" size="xs" {...props}>
              {button}
            </Button>
          </Group>
        )}
      </FileButton>
    </Stack>
  );
}

const FILE_BYTES_MAX = 10_000;

async function readFile(form: NodeForm, name: FileFieldProps["name"], file: File | null): Promise<void> {
  if (file === null) return;
  if (file.size > FILE_BYTES_MAX) return form.setFieldError(name, "This file is too large.");
  const bytes = new Uint8Array(await file.arrayBuffer());
  form.setFieldValue(name, Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""));
}
