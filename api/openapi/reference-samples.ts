import { readFileSync } from "node:fs";
import path from "node:path";
import { html, type Html } from "../http/html";

// Files that the tests run (test/docs/samples.test.ts, test/docs/receivers.test.ts).

const DOCS = path.join(__dirname, "../../docs");

interface Task {
  id: string;
  title: string;
  text: Html;
  /** Relative to docs/, by language. */
  samples: Readonly<Record<string, string>>;
}

const TASKS: readonly Task[] = [
  {
    id: "create-an-invoice",
    title: "Create an invoice",
    text: html`<p>
      Send the price and your order's id. The response has <code>checkoutUrl</code>, the page on which the
      customer pays, and <code>paymentUri</code> for a page of your own. An <code>Idempotency-Key</code> makes
      it safe to send the request again.
    </p>`,
    samples: {
      curl: "samples/create-invoice.sh",
      "Node.js": "samples/create-invoice.mjs",
      Python: "samples/create-invoice.py",
      PHP: "samples/create-invoice.php",
    },
  },
  {
    id: "receive-a-webhook",
    title: "Receive a webhook",
    text: html`<p>
      Register a URL and store the <code>secret</code> of the response. Your receiver verifies the signature,
      finds the order by <code>metadata.orderId</code>, fulfils it when the event is <code>Settled</code> with
      <code>None</code> or <code>Overpaid</code>, skips an order that is already fulfilled, and responds with
      2xx within 10 seconds. The customer's return to your shop does not prove a payment.
      <a href="#the-webhook-request">What the request contains.</a>
    </p>`,
    samples: {
      "curl (register it)": "samples/register-webhook.sh",
      "Node.js": "receivers/node.mjs",
      Python: "receivers/receiver.py",
      PHP: "receivers/receiver.php",
    },
  },
  {
    id: "catch-up-with-the-event-feed",
    title: "Catch up with the event feed",
    text: html`<p>
      A webhook is sent once, with no automatic retry. The feed has every event of the store in order: read it
      when your receiver starts and every few minutes, from the <code>nextAfter</code> that you stored last.
      With <code>wait=30</code> the response waits up to 30 seconds for the next event.
    </p>`,
    samples: {
      curl: "samples/read-events.sh",
      "Node.js": "samples/read-events.mjs",
      Python: "samples/read-events.py",
      PHP: "samples/read-events.php",
    },
  },
];

export function taskSections(): Html {
  return html`${TASKS.map(
    ({ id, title, text, samples }) =>
      html`<section aria-labelledby="${id}">
        <h2 id="${id}">${title}</h2>
        ${text} ${Object.entries(samples).map(([language, file], at) => sample(id, language, file, at === 0))}
      </section>`,
  )}`;
}

function sample(task: string, language: string, file: string, open: boolean): Html {
  const code = readFileSync(path.join(DOCS, file), "utf8");
  const summary = html`<summary>${language} <span class="file">${path.basename(file)}</span></summary>`;
  const body = html`<pre tabindex="0"><code>${code}</code></pre>`;
  return open
    ? html`<details name="${task}" open>${summary}${body}</details>`
    : html`<details name="${task}">${summary}${body}</details>`;
}

export const TASK_LINKS = TASKS.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`);
