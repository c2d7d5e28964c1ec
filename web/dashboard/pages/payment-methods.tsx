import { Page } from "../kit/page";

export function PaymentMethodsPage() {
  return <Page title="Payment methods">{null}</Page>;
}
