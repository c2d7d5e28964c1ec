import { isExample } from "./examples";
import { ACCOUNTING_PATH, type Heard } from "./receiver";

/** What the terminal says of a webhook; null for what would only hide the others. */
export function lineAbout({ path, event, status, attempt }: Heard): string | null {
  if (event === null) return "webhook refused: its signature is wrong";
  const what = `webhook ${event.type}/${event.additionalStatus} ${event.invoiceId}`;
  if (status !== 200)
    return `${what} failed: the accounting answered ${status}. Redeliver it in the dashboard`;
  if (attempt > 1) return `${what} redelivered, signature ok`;
  return isExample(event) || path === ACCOUNTING_PATH ? null : `${what} signature ok`;
}
