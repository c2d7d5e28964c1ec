import { Button, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { giveCode, type Entered } from "../../api/account";
import { ApiError } from "../../api/problem";
import { useAction } from "../../kit/action";
import { Page } from "../../kit/page";

interface CodeFormProps {
  onEntered: (entered: Entered) => void;
  /** The password is to be given again. */
  onBack: () => void;
}

/** The second step: a code of the authenticator app, or a recovery code in its place. */
export function CodeForm({ onEntered, onBack }: CodeFormProps) {
  const [recovery, setRecovery] = useState(false);
  const form = useForm({ initialValues: { code: "" } });
  const enter = useAction({
    run: ({ code }: typeof form.values) => giveCode(code.trim()),
    then: onEntered,
    form,
    failed(error) {
      form.setFieldValue("code", "");
      if (error instanceof ApiError && error.code === "unauthenticated") onBack();
    },
  });
  const texts = recovery ? RECOVERY : APP;
  return (
    <Page title="Second step" intro={texts.intro}>
      <form onSubmit={form.onSubmit((values) => enter.mutate(values))}>
        <Stack>
          <TextInput
            key={texts.label}
            label={texts.label}
            autoFocus
            required
            autoComplete="one-time-code"
            inputMode={recovery ? "text" : "numeric"}
            {...form.getInputProps("code")}
          />
          <Button type="submit" loading={enter.isPending}>
            Continue
          </Button>
          <Button variant="subtle" onClick={() => setRecovery(!recovery)}>
            {texts.other}
          </Button>
          <Button variant="subtle" color="gray" onClick={onBack}>
            Back
          </Button>
        </Stack>
      </form>
    </Page>
  );
}

const APP = {
  intro: "Your authenticator app shows a code of six digits for Quittance.",
  label: "Code",
  other: "Use a recovery code",
};
const RECOVERY = {
  intro: "One of the codes that you kept when you set up the app. Each works once.",
  label: "Recovery code",
  other: "Use the app's code",
};
