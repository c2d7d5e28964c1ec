import { Button, Divider, Modal, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { accountQuery, changePassword, reauthenticate, type Account } from "../api/account";
import { hasPasskeys, reauthenticateByPasskey } from "../api/passkey";
import { sudoRequests } from "../api/sudo";
import { useAction } from "../kit/form/action";
import { Loaded } from "../kit/loaded";
import { NewPassword } from "../kit/form/new-password";
import { PasskeyButton } from "../kit/form/passkey-button";

/** An unlocked screen must not suffice. */
export function SudoDialog() {
  const account = useQuery(accountQuery);
  return (
    <Modal opened onClose={() => sudoRequests.answer(false)} title="Confirm that it's you" zIndex={300}>
      <Stack>
        <Text size="sm">This change needs a fresh confirmation. It lasts ten minutes.</Text>
        <Loaded query={account} lines={2}>
          {(data) => <Proofs account={data} />}
        </Loaded>
      </Stack>
    </Modal>
  );
}

/** The account's, and no less than the server takes. */
function Proofs({ account }: { account: Account }) {
  const { hasPassword, totp, passkeys } = account;
  const byForm = totp || (hasPassword && passkeys.length === 0);
  const byPasskey = passkeys.length > 0;
  if (!byForm && !byPasskey) return <FirstPassword email={account.email} />;
  return (
    <>
      {byForm && <ProofForm password={hasPassword} code={totp} />}
      {byForm && byPasskey && hasPasskeys() && <Divider label="or" />}
      {byPasskey && (hasPasskeys() ? <PasskeyProof /> : !byForm && <NoPasskeysHere />)}
    </>
  );
}

function ProofForm({ password, code }: { password: boolean; code: boolean }) {
  const form = useForm({ initialValues: { password: "", code: "" } });
  const confirm = useAction({
    run: (values: typeof form.values) =>
      reauthenticate({
        ...(password ? { password: values.password } : {}),
        ...(code ? { code: values.code.trim() } : {}),
      }),
    form,
    failed: () => form.setValues({ password: "", code: "" }),
    then: () => sudoRequests.answer(true),
  });
  return (
    <form onSubmit={form.onSubmit((values) => confirm.mutate(values))}>
      <Stack>
        {password && (
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            data-autofocus
            required
            {...form.getInputProps("password")}
          />
        )}
        {code && (
          <TextInput
            label="Code"
            description="From your authenticator app, or a recovery code."
            autoComplete="one-time-code"
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

/** Here, so that the form behind the dialog stays. */
function FirstPassword({ email }: { email: string }) {
  const form = useForm({ initialValues: { password: "" } });
  const set = useAction({
    run: async (values: typeof form.values) => {
      await changePassword(values);
      await reauthenticate(values);
    },
    form,
    changes: ["/account"],
    then: () => sudoRequests.answer(true),
  });
  return (
    <form onSubmit={form.onSubmit((values) => set.mutate(values))}>
      <Stack>
        <Text size="sm">Your account has no password yet. Set one here, and go on.</Text>
        <NewPassword email={email} {...form.getInputProps("password")} />
        <Button type="submit" loading={set.isPending}>
          Set a password
        </Button>
      </Stack>
    </form>
  );
}

function PasskeyProof() {
  const confirm = useAction({ run: reauthenticateByPasskey, then: () => sudoRequests.answer(true) });
  return <PasskeyButton loading={confirm.isPending} onClick={() => confirm.mutate()} />;
}

function NoPasskeysHere() {
  return (
    <Text size="sm">
      Your account is confirmed with a passkey, and this browser can use passkeys over https only.
    </Text>
  );
}
