import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface LightningCustomer {
  /** Answers the preimage, in hex. */
  pay(bolt11: string): Promise<string>;
}

export interface CustomerDoor {
  url: string;
  close(): Promise<void>;
}

/**
 * The simulated customer lives in the demo's process; this lets `demo:pay` ask for a payment: POST a BOLT11 to the URL,
 * which nobody guesses. 200 with the preimage, or 422 with the reason.
 */
export async function listenForPayments(customer: LightningCustomer): Promise<CustomerDoor> {
  const path = `/${randomBytes(16).toString("hex")}`;
  const server = createServer((request, response) => {
    const answer = (status: number, body: string): void => {
      response.writeHead(status, { "content-type": "text/plain" });
      response.end(body);
    };
    if (request.method !== "POST" || request.url !== path) return answer(404, "not found");
    text(request)
      .then((bolt11) => customer.pay(bolt11.trim()))
      .then(
        (preimage) => answer(200, preimage),
        (error: unknown) => answer(422, error instanceof Error ? error.message : String(error)),
      );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** The other side of it. Rejects with the customer's reason. */
export async function payThrough(url: string, bolt11: string): Promise<string> {
  const response = await fetch(url, { method: "POST", body: bolt11 });
  const body = await response.text();
  if (!response.ok) throw new Error(`The customer's payment failed: ${body}`);
  return body;
}
