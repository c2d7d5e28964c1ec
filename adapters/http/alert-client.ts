import type { AlertChannel } from "../../commands/ports";

const DEADLINE_MS = 5_000;

/** Posts alerts as JSON to the operator's own address, which may lie in a private network. `user:password@` in it is sent as HTTP basic authentication. */
export function makeAlertClient(alertUrl: string): AlertChannel {
  const url = new URL(alertUrl);
  const credentials = [url.username, url.password].map(decodeURIComponent).join(":");
  url.username = url.password = "";
  const headers = {
    "Content-Type": "application/json",
    ...(credentials === ":" ? {} : { Authorization: `Basic ${Buffer.from(credentials).toString("base64")}` }),
  };
  return {
    name: "ALERT_URL",
    atOnce: 1,
    async tell([alert]) {
      const body = JSON.stringify(alert);
      const answer = await fetch(url, {
        method: "POST",
        headers,
        body,
        redirect: "manual", // alerts go where the operator said, and nowhere that somebody else says
        signal: AbortSignal.timeout(DEADLINE_MS),
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`the receiver of alerts answered ${answer.status}`);
    },
  };
}
