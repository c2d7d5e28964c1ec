import { Alert, Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { disableTotp, renewRecoveryCodes, type Account } from "../../api/account";
import { useAction } from "../../kit/form/action";
import { confirm } from "../../kit/form/confirm";
import { Icon } from "../../kit/icon";
import { Section } from "../../kit/section";
import { Status } from "../../kit/format/status";
import { EnrolTotp } from "./enrol-totp";
import { RecoveryCodes } from "./recovery-codes";

const FEW = 3;

export function TotpSection({ account }: { account: Account }) {
  const [codes, setCodes] = useState<string[] | null>(null);
  return (
    <Section
      title="Authenticator app"
      intro="With a code of an app on your phone as second step, a stolen password is not enough."
      actions={account.totp ? <Status tone="good">on</Status> : <Status tone="warn">off</Status>}
    >
      {account.totp ? <Enabled account={account} onCodes={setCodes} /> : <EnrolTotp onCodes={setCodes} />}
      <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />
    </Section>
  );
}

function Enabled({ account, onCodes }: { account: Account; onCodes: (codes: string[]) => void }) {
  const left = account.recoveryCodesLeft;
  const renew = useAction({
    run: renewRecoveryCodes,
    changes: ["/account"],
    then: ({ recoveryCodes }) => onCodes(recoveryCodes),
  });
  const disable = useAction({
    run: disableTotp,
    changes: ["/account"],
    done: "You can now log in with your password only.",
  });
  const turnOff = async (): Promise<void> => {
    const body = "Your password will be enough to log in. The recovery codes become invalid.";
    if (await confirm({ title: "Turn two-step login off?", body, action: "Turn off", danger: true }))
      disable.mutate();
  };
  return (
    <>
      {left <= FEW && (
        <Alert color="yellow" icon={<Icon name="triangle-alert" />}>
          {left === 0 ? "No recovery code is left." : `Only ${left} recovery codes are left.`} Without your
          phone you could not log in. Create new ones.
        </Alert>
      )}
      <Text size="sm">Recovery codes left: {left}</Text>
      <Group>
        <Button variant="default" loading={renew.isPending} onClick={() => renew.mutate()}>
          New recovery codes
        </Button>
        <Button variant="subtle" color="red" loading={disable.isPending} onClick={() => void turnOff()}>
          Turn off
        </Button>
      </Group>
    </>
  );
}
