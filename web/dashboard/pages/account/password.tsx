import { Button, Group, PasswordInput, Stack, TextInput, VisuallyHidden } from "@mantine/core";
import { useForm } from "@mantine/form";
import { changePassword, type Account } from "../../api/account";
import { useAction } from "../../kit/form/action";
import { Section } from "../../kit/section";

export function PasswordSection({ account }: { account: Account }) {
  const form = useForm({ initialValues: { password: "" } });
  const change = useAction({
    run: changePassword,
    form,
    changes: ["/account"],
    done: "The password is changed. All other sessions are logged out.",
    then: () => form.reset(),
  });
  return (
    <Section title="Password" intro="Changing it logs you out everywhere else.">
      <form onSubmit={form.onSubmit((values) => change.mutate(values))}>
        <Stack>
          <VisuallyHidden>
            <TextInput label="E-mail" value={account.email} readOnly autoComplete="username" tabIndex={-1} />
          </VisuallyHidden>
          <PasswordInput
            label="New password"
            description="At least ten characters. Several unrelated words make a good password."
            autoComplete="new-password"
            minLength={10}
            required
            {...form.getInputProps("password")}
          />
          <Group>
            <Button type="submit" variant="default" loading={change.isPending}>
              Change password
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
