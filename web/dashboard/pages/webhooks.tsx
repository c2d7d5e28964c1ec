import { Page } from "../kit/page";

export function WebhooksPage() {
  return <Page title="Webhooks">{null}</Page>;
}
