import { Page } from "../kit/page";

export function StoreUsersPage() {
  return <Page title="Users">{null}</Page>;
}
