import { z } from "zod";
import { eventBody } from "../../domain/webhook/body";
import { signatureHeaders } from "../../domain/webhook/signature";
import { EXAMPLE_IDS } from "../http/schemas/answer";
import { html, type Html } from "../http/html";
import { webhookEvent, webhookHeaders } from "../webhooks/event";

/** As in docs/webhooks.md, for a first test of a receiver. */
const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

const EVENTS: readonly (readonly [event: string, when: string, todo: string])[] = [
  ["New / None", "The invoice was created.", "Nothing."],
  [
    "Processing / None",
    "The price was paid on-chain and waits for confirmations. Never for Lightning alone.",
    "Wait.",
  ],
  ["Settled / None", "The payment is confirmed, or the invoice was marked settled.", "Fulfil the order."],
  [
    "Settled / Overpaid",
    "Confirmed, and more than the price.",
    "Fulfil the order; refund the rest if you wish.",
  ],
  ["Settled / PaidAfterExpiration", "Paid after the invoice had expired.", "Review it by hand."],
  ["Expired / None", "Nothing was paid in time.", "Release the stock."],
  ["Expired / Underpaid", "Too little was paid in time.", "Do not fulfil. Ask for the rest, or refund."],
  [
    "Invalid / None",
    "A payment could not be reconciled (a double spend), or the invoice was marked invalid.",
    "Do not fulfil. Investigate.",
  ],
];

export function webhookSection(): Html {
  const fields = Object.entries(webhookEvent.shape).map(([name, schema]) => [name, aboutOf(schema)] as const);
  const headers = Object.entries(webhookHeaders.shape).map(
    ([name, schema]) => [name, aboutOf(schema)] as const,
  );
  return html`<section aria-labelledby="the-webhook-request">
    <h2 id="the-webhook-request">The webhook request</h2>
    <p>
      Each event is sent as one <code>POST</code> to every webhook that receives it. This one is signed with
      the secret <code>${SECRET}</code>: test your receiver with it.
    </p>
    <pre tabindex="0"><code>${exampleRequest()}</code></pre>
    <h3>Headers</h3>
    <p>
      Header names are case-insensitive. <code>x-service-sig</code> and <code>webhook-signature</code> are two
      signatures of the same request; verify one of them, with the raw body.
    </p>
    ${table(["Header", "Contains"], headers)}
    <h3>Body</h3>
    <p>The bytes are the same at every redelivery. Read amounts and payments from the invoice.</p>
    ${table(["Field", "Contains"], fields)}
    <h3>Events</h3>
    ${table(["type / additionalStatus", "Sent when", "What to do"], EVENTS)}
  </section>`;
}

function aboutOf(schema: z.ZodType): string {
  const words = schema instanceof z.ZodEnum ? [...schema.options.map((word) => `\`${word}\``)] : [];
  return [...(words.length === 0 ? [] : [`${words.join(", ")}.`]), schema.meta()?.description ?? ""].join(
    " ",
  );
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): Html {
  const row = ([name, ...rest]: readonly string[]) =>
    html`<tr>
      <th scope="row"><code>${name ?? ""}</code></th>
      ${rest.map((text) => html`<td>${withCode(text)}</td>`)}
    </tr>`;
  return html`<div class="table" tabindex="0">
    <table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(row)}
      </tbody>
    </table>
  </div>`;
}

function withCode(text: string): Html {
  return html`${text.split("`").map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}

function exampleRequest(): string {
  const body = eventBody({
    type: "Settled",
    invoiceId: EXAMPLE_IDS.invoiceId,
    metadata: '{"orderId":"A-1001"}',
    additionalStatus: "None",
  });
  const headers = signatureHeaders({
    eventId: EXAMPLE_IDS.eventId,
    deliveryId: EXAMPLE_IDS.deliveryId,
    storeId: EXAMPLE_IDS.storeId,
    attempt: 1,
    timestampSeconds: 1_772_366_400,
    body,
    secret: SECRET,
    userAgent: "Quittance",
  });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return ["POST /webhook HTTP/1.1", ...lines, "", body.toString()].join("\n");
}
