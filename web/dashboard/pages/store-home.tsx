import { Page } from "../kit/page";

export function StoreHomePage() {
  return <Page title="Home">{null}</Page>;
}
