import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { openCustomerDoor, type LightningCustomer } from "./demo/customer-door";
import { DemoRefusal } from "./demo/folder";
import { lndCustomer } from "./demo/lnd-customer";
import { startNode } from "./demo/node";

const USAGE = `usage: BITCOIND_RPC_URL=http://user:password@host:port npm run -s test-customer
         [-- --host 127.0.0.1 --port 3099 --path /customer
             --lnd-rest host:port --lnd-cert tls.cert --lnd-macaroon admin.macaroon]

The simulated customer for the checkout's test mode, on regtest alone: pays from a wallet of that bitcoind
(its only one, else one of his own) and, where an LND of the customer is named, by its channels.
Start the service with the TEST_CUSTOMER_URL that it prints.`;

const OPTIONS = {
  host: { type: "string", default: "127.0.0.1" },
  port: { type: "string", default: "3099" },
  path: { type: "string", default: "/customer" },
  "lnd-rest": { type: "string" },
  "lnd-cert": { type: "string" },
  "lnd-macaroon": { type: "string" },
  help: { type: "boolean", default: false },
} as const;

interface LndFiles {
  rest: string | undefined;
  cert: string | undefined;
  macaroon: string | undefined;
}

async function lightningOf({ rest, cert, macaroon }: LndFiles): Promise<LightningCustomer | null> {
  if (rest === undefined && cert === undefined && macaroon === undefined) return null;
  const [, host, port] = /^([^\s/:]+):(\d{1,5})$/.exec(rest ?? "") ?? [];
  if (host === undefined || cert === undefined || macaroon === undefined) throw new DemoRefusal(USAGE);
  return lndCustomer({
    host,
    port: Number(port),
    tlsCert: readFileSync(cert, "utf8"),
    macaroon: readFileSync(macaroon),
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS });
  const port = Number(values.port);
  if (
    values.help ||
    !process.env["BITCOIND_RPC_URL"] ||
    !Number.isInteger(port) ||
    !values.path.startsWith("/")
  )
    throw new DemoRefusal(USAGE);
  const { customer } = await startNode(process.env, "");
  const lightning = await lightningOf({
    rest: values["lnd-rest"],
    cert: values["lnd-cert"],
    macaroon: values["lnd-macaroon"],
  });
  const { host, path } = values;
  const door = await openCustomerDoor({ onChain: customer, lightning }, { host, port, path });
  process.stdout.write(`TEST_CUSTOMER_URL=${door.url}\n`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void door.close());
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
