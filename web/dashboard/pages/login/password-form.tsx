import { Alert, Button, Divider, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { logIn, type LoginAnswer } from "../../api/account";
import { enterByPasskey, hasPasskeys } from "../../api/passkey";
import { messageOf } from "../../api/problem";
import { useAction } from "../../kit/form/action";
import { Icon } from "../../kit/icon";
import { Page } from "../../kit/page";

export function PasswordForm(props: { onEntered: (entered: LoginAnswer) => void; onForgotten: () => void }) {
  const { onEntered, onForgotten } = props;
  const form = useForm({ initialValues: { email: "", password: "" } });
  const enter = useAction({
    run: logIn,
    then: onEntered,
    form,
    quiet: true,
    failed: () => form.setFieldValue("password", ""),
  });
  return (
    <Page title="Log in">
      <form onSubmit={form.onSubmit((values) => enter.mutate(values))}>
        <Stack>
          {enter.isError && (
            <Alert color="red" icon={<Icon name="circle-alert" />} role="alert">
              {messageOf(enter.error)}
            </Alert>
          )}
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username"
            autoFocus
            required
            {...form.getInputProps("email")}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            {...form.getInputProps("password")}
          />
          <Button type="submit" loading={enter.isPending}>
            Log in
          </Button>
          {hasPasskeys() && <PasskeyLogin onEntered={onEntered} />}
          <Button variant="subtle" size="compact-sm" onClick={onForgotten}>
            Forgot your password?
          </Button>
        </Stack>
      </form>
    </Page>
  );
}

function PasskeyLogin({ onEntered }: { onEntered: (entered: LoginAnswer) => void }) {
  const enter = useAction({ run: enterByPasskey, then: onEntered });
  return (
    <>
      <Divider label="or" />
      <Button
        variant="default"
        leftSection={<Icon name="fingerprint-pattern" />}
        loading={enter.isPending}
        onClick={() => enter.mutate()}
      >
        Log in with a passkey
      </Button>
    </>
  );
}
