import {
  Button,
  Divider,
  Modal,
  PasswordInput,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { reauthenticate } from "../api/account";
import { hasPasskeys, reauthenticateByPasskey } from "../api/passkey";
import { sudoRequests } from "../api/sudo";
import { useAction } from "../kit/action";
import { Icon } from "../kit/icon";

/** Asks who it is once more, before what an unlocked screen must not be enough for. */
export function SudoDialog() {
  return (
    <Modal opened onClose={() => sudoRequests.answer(false)} title="Is it still you?" zIndex={300}>
      <Stack>
        <Text size="sm">This change needs a proof that was given just now. It holds for ten minutes.</Text>
        <ProofForm />
        {hasPasskeys() && <PasskeyProof />}
      </Stack>
    </Modal>
  );
}

function ProofForm() {
  const [by, setBy] = useState<"password" | "code">("password");
  const form = useForm({ initialValues: { password: "", code: "" } });
  const confirm = useAction({
    run: ({ password, code }: typeof form.values) =>
      reauthenticate(by === "password" ? { password } : { code: code.trim() }),
    form,
    failed: () => form.setValues({ password: "", code: "" }),
    then: () => sudoRequests.answer(true),
  });
  return (
    <form onSubmit={form.onSubmit((values) => confirm.mutate(values))}>
      <Stack>
        <SegmentedControl
          aria-label="Proof"
          value={by}
          onChange={(value) => setBy(value === "code" ? "code" : "password")}
          data={[
            { value: "password", label: "Password" },
            { value: "code", label: "Code of the app" },
          ]}
        />
        {by === "password" ? (
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            data-autofocus
            required
            {...form.getInputProps("password")}
          />
        ) : (
          <TextInput
            label="Code"
            autoComplete="one-time-code"
            inputMode="numeric"
            required
            {...form.getInputProps("code")}
          />
        )}
        <Button type="submit" loading={confirm.isPending}>
          Continue
        </Button>
      </Stack>
    </form>
  );
}

function PasskeyProof() {
  const confirm = useAction({ run: reauthenticateByPasskey, then: () => sudoRequests.answer(true) });
  return (
    <>
      <Divider label="or" />
      <Button
        variant="default"
        leftSection={<Icon name="fingerprint-pattern" />}
        loading={confirm.isPending}
        onClick={() => confirm.mutate()}
      >
        Use a passkey
      </Button>
    </>
  );
}
