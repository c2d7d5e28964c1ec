import { Page } from "../kit/page";

export function SetupPage() {
  return <Page title="Setup">{null}</Page>;
}
