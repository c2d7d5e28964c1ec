import { Page } from "../kit/page";

export function AdminHealthPage() {
  return <Page title="Server health">{null}</Page>;
}
