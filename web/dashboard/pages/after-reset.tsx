import { useQuery } from "@tanstack/react-query";
import { accountQuery } from "../api/account";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";
import { CleanUpForm } from "./after-reset/clean-up-form";

/** Ends what an intruder may have opened, as the user chooses. */
export function AfterResetPage() {
  const account = useQuery(accountQuery);
  return (
    <Page
      title="Your password is changed"
      intro="If somebody else may have had access to your account, remove that access here."
      narrow
    >
      <Loaded query={account}>{(data) => <CleanUpForm account={data} />}</Loaded>
    </Page>
  );
}
