import { Button, Modal, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useSyncExternalStore } from "react";
import { post } from "../api/call";
import { sudoRequests } from "../api/sudo";
import { useAction } from "../kit/action";

/** Asks who it is once more, before what an unlocked screen must not be enough for. */
export function SudoDialog() {
  const waiting = useSyncExternalStore(sudoRequests.subscribe, sudoRequests.isWaiting);
  return (
    <Modal opened={waiting} onClose={() => sudoRequests.answer(false)} title="Is it still you?">
      <SudoForm />
    </Modal>
  );
}

function SudoForm() {
  const form = useForm({ initialValues: { password: "", code: "" } });
  const confirm = useAction({
    run: ({ password, code }: typeof form.values) =>
      post("/sudo", { password, ...(code === "" ? {} : { code }) }),
    form,
    then: () => sudoRequests.answer(true),
  });
  return (
    <form onSubmit={form.onSubmit((values) => confirm.mutate(values))}>
      <Stack>
        <Text size="sm">This change needs your password again.</Text>
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          data-autofocus
          required
          {...form.getInputProps("password")}
        />
        <TextInput
          label="Code"
          description="From your authenticator app, where you use one"
          autoComplete="one-time-code"
          inputMode="numeric"
          {...form.getInputProps("code")}
        />
        <Button type="submit" loading={confirm.isPending}>
          Continue
        </Button>
      </Stack>
    </form>
  );
}
