import { Page } from "../kit/page";

export function AdminUsersPage() {
  return <Page title="Server users">{null}</Page>;
}
