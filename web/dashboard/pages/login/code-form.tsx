import { Alert, Button, Divider, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState, type ReactNode } from "react";
import { giveCode, type LoginAnswer, type SecondStep } from "../../api/account";
import { enterByPasskey, hasPasskeys } from "../../api/passkey";
import { ApiError } from "../../api/problem";
import { useAction } from "../../kit/form/action";
import { Icon } from "../../kit/icon";
import { Page } from "../../kit/page";
import { PasskeyButton } from "../../kit/form/passkey-button";

interface StepProps {
  onEntered: (entered: LoginAnswer) => void;
  onBack: () => void;
}

export function SecondStepForm({ by, onEntered, onBack }: StepProps & { by: SecondStep }) {
  const passkey = by.includes("passkey") && <PasskeyStep onEntered={onEntered} />;
  if (by.includes("code"))
    return (
      <CodeForm onEntered={onEntered} onBack={onBack}>
        {passkey}
      </CodeForm>
    );
  return (
    <Page title="Two-step login" intro="Confirm with one of your passkeys.">
      <Stack>
        {passkey}
        <Button variant="subtle" color="gray" onClick={onBack}>
          Back
        </Button>
      </Stack>
    </Page>
  );
}

function PasskeyStep({ onEntered }: Pick<StepProps, "onEntered">) {
  const enter = useAction({ run: enterByPasskey, then: onEntered });
  if (!hasPasskeys())
    return (
      <Alert color="gray" icon={<Icon name="info" />}>
        This browser can use passkeys over https only.
      </Alert>
    );
  return <PasskeyButton loading={enter.isPending} onClick={() => enter.mutate()} />;
}

function CodeForm({ onEntered, onBack, children }: StepProps & { children: ReactNode }) {
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
    <Page title="Two-step login" intro={texts.intro}>
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
          {children && <Divider label="or" />}
          {children}
          <Button variant="subtle" color="gray" onClick={onBack}>
            Back
          </Button>
        </Stack>
      </form>
    </Page>
  );
}

const APP = {
  intro: "Enter the six-digit code that your authenticator app shows for Quittance.",
  label: "Code",
  other: "Use a recovery code",
};
const RECOVERY = {
  intro: "One of the codes that you saved when you set up the app. Each works once.",
  label: "Recovery code",
  other: "Use the app's code",
};
