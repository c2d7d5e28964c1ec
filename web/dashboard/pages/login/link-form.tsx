import { Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { followLink, type LoginAnswer, type LinkState } from "../../api/account";
import { useAction } from "../../kit/form/action";
import { Page } from "../../kit/page";

const TEXTS: Record<LinkState["kind"], { title: string; intro: string; action: string }> = {
  setup: {
    title: "Welcome",
    intro: "Choose the password that you will log in with.",
    action: "Set password",
  },
  invitation: {
    title: "You are invited",
    intro: "Choose the password that you will log in with.",
    action: "Set password",
  },
  reset: {
    title: "New password",
    intro: "It replaces the old one.",
    action: "Set password",
  },
  login: { title: "Log in", intro: "This link logs you in, once.", action: "Log in" },
};

interface LinkFormProps {
  token: string;
  link: LinkState;
  onEntered: (entered: LoginAnswer) => void;
}

export function LinkForm({ token, link, onEntered }: LinkFormProps) {
  const texts = TEXTS[link.kind];
  const title = link.storeName === null ? texts.title : `${texts.title} to ${link.storeName}`;
  const needsPassword = link.setsPassword;
  const form = useForm({ initialValues: { password: "" } });
  const follow = useAction({
    run: ({ password }: typeof form.values) => followLink({ token, ...(needsPassword ? { password } : {}) }),
    form,
    then: onEntered,
  });
  return (
    <Page title={title} intro={texts.intro}>
      <form onSubmit={form.onSubmit((values) => follow.mutate(values))}>
        <Stack>
          {/* Password managers keep the two together. */}
          <TextInput label="E-mail" value={link.email} readOnly autoComplete="username" />
          {needsPassword && (
            <PasswordInput
              label="Password"
              description="At least ten characters. Several unrelated words make a good password."
              autoComplete="new-password"
              minLength={10}
              autoFocus
              required
              {...form.getInputProps("password")}
            />
          )}
          <Button type="submit" loading={follow.isPending}>
            {texts.action}
          </Button>
        </Stack>
      </form>
    </Page>
  );
}
