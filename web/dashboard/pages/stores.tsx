import { Page } from "../kit/page";

export function StoresPage() {
  return <Page title="Stores">{null}</Page>;
}
