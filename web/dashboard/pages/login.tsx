import { Page } from "../kit/page";

export function LoginPage() {
  return <Page title="Login">{null}</Page>;
}
