import { Alert } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { accountQuery } from "../api/account";
import { useOwesSecondFactor } from "../api/session";
import { Icon } from "../kit/icon";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";
import { PasskeysSection } from "./account/passkeys";
import { PasswordSection } from "./account/password";
import { SessionsSection } from "./account/sessions";
import { TotpSection } from "./account/totp";

export function AccountPage() {
  const account = useQuery(accountQuery);
  const owes = useOwesSecondFactor();
  return (
    <Page title="Your account" intro={account.data?.email} narrow>
      {owes && (
        <Alert color="yellow" icon={<Icon name="triangle-alert" />} title="Set up a second step first">
          This server requires an authenticator app or a passkey from store owners and server admins. Until
          you have one, you can only see your account.
        </Alert>
      )}
      <Loaded query={account}>
        {(data) => (
          <>
            <PasswordSection account={data} />
            <TotpSection account={data} />
            <PasskeysSection account={data} />
            <SessionsSection />
          </>
        )}
      </Loaded>
    </Page>
  );
}
