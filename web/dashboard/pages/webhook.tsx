import { Page } from "../kit/page";

export function WebhookPage() {
  return <Page title="Webhook">{null}</Page>;
}
