import { Alert, Button, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { askForReset } from "../../api/account";
import { useAction } from "../../kit/form/action";
import { Icon } from "../../kit/icon";
import { Page } from "../../kit/page";

/** Says the same whether the address is known or not. */
export function ForgottenForm({ onBack }: { onBack: () => void }) {
  const form = useForm({ initialValues: { email: "" } });
  const ask = useAction({ run: ({ email }: typeof form.values) => askForReset(email), form });
  return (
    <Page title="Forgot your password?">
      <form onSubmit={form.onSubmit((values) => ask.mutate(values))}>
        <Stack>
          {ask.isSuccess && (
            <Alert color="blue" icon={<Icon name="mail" />} role="status">
              If an account has this address and this server sends e-mail, a link is on its way. If none
              arrives, ask the server's operator for one.
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
          <Button type="submit" loading={ask.isPending}>
            Send me a link
          </Button>
          <Button variant="subtle" color="gray" onClick={onBack}>
            Back to the login
          </Button>
        </Stack>
      </form>
    </Page>
  );
}
