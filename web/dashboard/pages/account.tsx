import { Page } from "../kit/page";

export function AccountPage() {
  return <Page title="Account">{null}</Page>;
}
