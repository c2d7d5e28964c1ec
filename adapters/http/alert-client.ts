import type { AlertChannel } from "../../commands/ports";
import { errorCode } from "./send-failure";

/** In total: DNS lookup, connecting, TLS and the head of the answer. */
const DEADLINE_MS = 5_000;

/**
 * Posts alerts as JSON to the operator's own address, which may be in a private network. `user:password@` in it is
 * sent as HTTP basic authentication. TLS is verified, redirects are not followed, and the answer's body is not read.
 * Failures are reported as a code: the address may contain a token.
 */
export function makeAlertClient(alertUrl: string, { deadlineMs = DEADLINE_MS } = {}): AlertChannel {
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
    async send([alert]) {
      const answer = await fetch(url, {
        method: "POST",
        headers,
        body: JSON.stringify(alert),
        redirect: "manual", // alerts go to the operator's address only
        signal: AbortSignal.timeout(deadlineMs),
      }).catch((error: unknown) => {
        throw new Error(`the alert receiver did not answer: ${reasonOf(error)}`);
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`the alert receiver answered ${answer.status}`);
    },
  };
}

/** `fetch` hides the actual error in the cause. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return "timeout";
  return errorCode(error instanceof TypeError ? (error.cause ?? error) : error);
}
