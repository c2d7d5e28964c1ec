import { Page } from "../kit/page";

export function DeliveryPage() {
  return <Page title="Delivery">{null}</Page>;
}
