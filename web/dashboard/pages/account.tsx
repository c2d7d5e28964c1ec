import { useQuery } from "@tanstack/react-query";
import { accountQuery } from "../api/account";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";
import { PasskeysSection } from "./account/passkeys";
import { PasswordSection } from "./account/password";
import { SessionsSection } from "./account/sessions";
import { TotpSection } from "./account/totp";

export function AccountPage() {
  const account = useQuery(accountQuery);
  return (
    <Page title="Your account" intro={account.data?.email} narrow>
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
