import { Page } from "../kit/page";

export function AlertsPage() {
  return <Page title="Alerts">{null}</Page>;
}
