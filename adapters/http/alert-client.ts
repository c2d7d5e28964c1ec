import type { AlertChannel } from "../../commands/ports";
import { errorCode } from "./send-failure";
import { sendRequest } from "./send-request";

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
      const body = JSON.stringify(alert);
      const request = { method: "POST", headers, body, deadlineMs, answerBytesMax: 0 } as const;
      const { status } = await sendRequest(url, request).catch((error: unknown) => {
        throw new Error(`the alert receiver did not answer: ${errorCode(error)}`);
      });
      if (status < 200 || status > 299) throw new Error(`the alert receiver answered ${status}`);
    },
  };
}
