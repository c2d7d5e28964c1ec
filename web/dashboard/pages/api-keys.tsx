import { Page } from "../kit/page";

export function ApiKeysPage() {
  return <Page title="API keys">{null}</Page>;
}
