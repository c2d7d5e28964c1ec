import "reflect-metadata";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describeTables, type TableColumn, type TableDescription } from "../database/describe-tables";

const DOCUMENT = "docs/data-model.md";

const HEAD = `<!-- Written by scripts/data-model.ts; changes here are lost. -->

# Data model

The tables as their entities describe them (\`entities/\`): columns with their types, and keys.

- Columns of the primary key are bold; \`?\` marks what may be null. Where no type is shown it is text, of columns that end in \`_at\` timestamptz, in \`_sats\` bigint.
- There are no foreign keys: \`invoice_id\` and the like hold another table's key. Other indexes stand in the entities alone.
- Ids are text with a prefix (\`inv_…\`, \`evt_…\`). Passwords, tokens and API keys are stored as hashes, webhook secrets and wallets' keys encrypted; \`mac\` authenticates a row.
- Without Redis the queues have a schema of their own, which is not shown.
`;

/** Each area with its tables and what a row of each is. */
const AREAS: Record<string, Record<string, string>> = {
  "Stores and wallets": {
    stores: "A merchant's store and the defaults of its invoices.",
    store_members: "The role of a user in a store.",
    store_invitations: "A role in a store that a user has not accepted yet.",
    mail_choices: "What a member of a store is sent by mail.",
    notices: "Something that a member is sent once by mail.",
    store_payment_methods:
      "A payment method that a store offers, with the wallet or the node that is paid to.",
    wallets: "A wallet: account key, script type and next index. Stores with the same key share it.",
    api_keys: "A store's API key, as its SHA-256.",
    payment_links: "A public page that creates invoices, its limits, and how many it has created.",
    idempotency_keys: "An `Idempotency-Key` of a store: claimed, then with the response to repeat.",
  },
  "Invoices and events": {
    invoices: "What a merchant asked to be paid, and its state.",
    invoice_payment_methods: "A payment method that an invoice offers, with its address or BOLT11.",
    invoice_history: "A line of an invoice's history, for people.",
    invoice_events: "An event; its body is what webhooks get.",
    receipt_mails: "A receipt that a customer is sent once by mail; the address is deleted then.",
    reviews: "A decision about an invoice that a person has to make, or has made.",
    day_sums: "The sums of a day that is over; several rows, or none: it is summed again when asked for.",
  },
  Payments: {
    watched_scripts: "A script that belongs to one invoice for ever.",
    bolt11s: "A BOLT11 of an invoice, committed before LND is asked to make it.",
    payments: "Money that reached an invoice; its key is the outpoint or payment hash.",
    payment_transactions:
      "A transaction with a payment, or an unconfirmed one that it spends from: to broadcast it again.",
    payment_inputs: "An outpoint that a payment depends on, to recognise a double spend.",
  },
  Webhooks: {
    webhooks: "A merchant's endpoint; deleted ones stay, for their deliveries.",
    webhook_deliveries: "One event for one webhook.",
    webhook_attempts: "One POST, committed before it is sent.",
  },
  "Chain and Lightning": {
    chain_blocks: "A processed block; the highest is the cursor.",
    chain_gaps: "A time in which payments may have been missed; overlapping invoices do not expire.",
    other_chains: "A chain of the node that differs from ours too deep to be a reorganisation.",
    lightning_nodes: "An LND: the server's, or a store's. What was checked, and what is wrong with it.",
    lightning_cursors: "How far a node's settled invoices were read.",
    payment_method_syncs: "The Bitcoin node: what was checked, and what is wrong with it.",
  },
  Accounts: {
    users: "A user of the dashboard.",
    sessions: "A browser that is logged in, as the SHA-256 of its token.",
    passkeys: "A passkey of a user.",
    passkey_challenges: "A challenge to be signed by a passkey, once.",
    recovery_codes: "A one-time code instead of the authenticator app, as its SHA-256.",
    user_links: "A one-time link to log in or to set a password, as its SHA-256.",
    audit_log: "Who changed what, and when.",
  },
  Service: {
    installation: "The network and the check value of `APP_SECRET`, in one row.",
    leases: "The leader of a watcher and its epoch.",
    heartbeats: "A running process and its metrics.",
    alerts: "What a person has to know.",
    set_aside: "Transactions that could not be recorded.",
    restores: "A restore from a backup. While its alert is open, deliveries are held.",
    rate_limits: "Requests counted in a window, where there is no Redis.",
  },
};

/** Whether its type is the one that the head of the document names. */
const isImplied = ({ name, type }: TableColumn): boolean =>
  type === "text" || type === (name.endsWith("_at") ? "timestamptz" : name.endsWith("_sats") ? "bigint" : "");

function section({ name, columns, keys }: TableDescription, about: string): string {
  const shownColumns = columns.map((column) => {
    const shown = `\`${column.name}${column.nullable ? "?" : ""}\``;
    const named = column.primary ? `**${shown}**` : shown;
    return isImplied(column) ? named : `${named} ${column.type}`;
  });
  const shownKeys = keys.map(
    ({ columns: of, where }) => `- Unique: ${of.join(", ")}${where === null ? "" : `, where \`${where}\``}`,
  );
  return [`### ${name}`, "", about, "", `- ${shownColumns.join(", ")}`, ...shownKeys].join("\n");
}

/** The whole document. @throws Error for a table that no area has, or one that is not there any more. */
export function dataModel(tables: readonly TableDescription[] = describeTables()): string {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const areas = Object.entries(AREAS).map(([title, abouts]) => {
    const found = Object.keys(abouts).map((name) => {
      const table = byName.get(name);
      if (table === undefined)
        throw new Error(`scripts/data-model.ts describes ${name}, which has no entity`);
      byName.delete(name);
      return table;
    });
    const sections = found.map((table) => section(table, abouts[table.name] ?? ""));
    return [`## ${title}`, "", sections.join("\n\n")].join("\n");
  });
  if (byName.size > 0)
    throw new Error(`scripts/data-model.ts does not describe: ${[...byName.keys()].join(", ")}`);
  return `${HEAD}\n${areas.join("\n\n")}\n`;
}

function main(): void {
  const file = path.join(__dirname, "..", DOCUMENT);
  const text = dataModel();
  if (!process.argv.includes("--check")) writeFileSync(file, text);
  else if (!existsSync(file) || readFileSync(file, "utf8") !== text) {
    process.stderr.write(`${DOCUMENT} is not what the entities say: run \`npx tsx scripts/data-model.ts\`\n`);
    process.exitCode = 1;
  }
}

if (require.main === module) main();
