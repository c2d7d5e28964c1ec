import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { confirmTotp, enrolTotp } from "../../api/account";
import { useAction } from "../../kit/form/action";
import { CopyField } from "../../kit/copy";
import { Qr } from "../../kit/qr";

export function EnrolTotp({ onCodes }: { onCodes: (codes: string[]) => void }) {
  const enrol = useAction({ run: enrolTotp });
  if (enrol.data === undefined)
    return (
      <Group>
        <Button loading={enrol.isPending} onClick={() => enrol.mutate()}>
          Set up an app
        </Button>
      </Group>
    );
  const { secret, uri } = enrol.data;
  return (
    <Stack>
      <Text size="sm">1. Scan this with your authenticator app, or enter the key.</Text>
      <Qr text={uri} label="QR code of the key for the authenticator app" />
      <CopyField label="Key" value={secret} />
      <Text size="sm">2. Enter the code that the app shows now.</Text>
      <FirstCode onCodes={onCodes} />
    </Stack>
  );
}

function FirstCode({ onCodes }: { onCodes: (codes: string[]) => void }) {
  const form = useForm({ initialValues: { code: "" } });
  const confirm = useAction({
    run: ({ code }: typeof form.values) => confirmTotp(code.trim()),
    form,
    changes: ["/account", "/session"],
    done: "From now on you need a code to log in with your password.",
    then: ({ recoveryCodes }) => onCodes(recoveryCodes),
  });
  return (
    <form onSubmit={form.onSubmit((values) => confirm.mutate(values))}>
      <Group align="flex-start">
        <TextInput
          aria-label="Code from the app"
          placeholder="123456"
          autoComplete="one-time-code"
          inputMode="numeric"
          autoFocus
          required
          {...form.getInputProps("code")}
        />
        <Button type="submit" loading={confirm.isPending}>
          Turn on
        </Button>
      </Group>
    </form>
  );
}
