import type { PostAlert } from "../../commands/ports";

const DEADLINE_MS = 5_000;

/** Posts alerts as JSON to the operator's own address, which may lie in a private network. */
export function makeAlertClient(url: string): PostAlert {
  return async (alert) => {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(alert),
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`the receiver of alerts answered ${answer.status}`);
  };
}
