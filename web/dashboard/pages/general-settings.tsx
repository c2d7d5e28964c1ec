import { Page } from "../kit/page";

export function GeneralSettingsPage() {
  return <Page title="General">{null}</Page>;
}
