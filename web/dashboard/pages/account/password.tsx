import { Button, Group, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { changePassword, type Account } from "../../api/account";
import { useAction } from "../../kit/form/action";
import { NewPassword } from "../../kit/form/new-password";
import { Section } from "../../kit/section";

export function PasswordSection({ account }: { account: Account }) {
  const form = useForm({ initialValues: { password: "" } });
  const change = useAction({
    run: changePassword,
    form,
    changes: ["/account"],
    done: `The password is ${account.hasPassword ? "changed" : "set"}. All other sessions are logged out.`,
    then: () => form.reset(),
  });
  return (
    <Section
      title="Password"
      intro={
        account.hasPassword
          ? "Changing it logs you out everywhere else."
          : "You have none yet: sensitive changes ask for it. Setting it logs you out everywhere else."
      }
    >
      <form onSubmit={form.onSubmit((values) => change.mutate(values))}>
        <Stack>
          <NewPassword email={account.email} {...form.getInputProps("password")} />
          <Group>
            <Button type="submit" variant="default" loading={change.isPending}>
              {account.hasPassword ? "Change password" : "Set a password"}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
