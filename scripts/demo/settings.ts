import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { SETTINGS } from "../../config/schema";
import { DemoRefusal, type Kept } from "./folder";

const DEFAULT_PORT = 3000;
const HOST = "127.0.0.1";
/** Browsers give passkeys only to names, and treat this one as secure without TLS. */
const NAME = "localhost";
const OTHER_HOST_OF_NAME = "::1";

/** What the visitor's environment may say, checked. @throws DemoRefusal that names the command to start it again. */
export async function apiPort(env: NodeJS.ProcessEnv, command: string): Promise<number> {
  const network = env["NETWORK"] || "regtest";
  if (network !== "regtest")
    throw new DemoRefusal(`NETWORK is ${network}: the demo runs on regtest alone. Unset NETWORK.`);
  const text = env["PORT"] || String(DEFAULT_PORT);
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535)
    throw new DemoRefusal(`PORT is "${text}", which is no port from 1 to 65535.`);
  if (!(await isFree(port)))
    throw new DemoRefusal(
      `Port ${port} is taken by another program. Choose another one: PORT=${port === 65_535 ? 3001 : port + 1} ${command}`,
    );
  return port;
}

/** A browser that is sent to the name may come to either address. */
async function isFree(port: number): Promise<boolean> {
  const [own, other] = await Promise.all([listenError(HOST, port), listenError(OTHER_HOST_OF_NAME, port)]);
  return own === null && other !== "EADDRINUSE"; // where there is no IPv6 that is another error
}

function listenError(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}

/**
 * Every setting of the service: those given, and all others as not set, so that neither the visitor's environment nor
 * a `.env` (a production database!) reaches the demo.
 */
export function demoSettings(own: {
  databaseUrl: string;
  port: number;
  appSecret: string;
  node: Record<string, string>;
  lightning: Record<string, string>;
  customerUrl: string;
  processes: "each" | "few";
}): Record<string, string> {
  return {
    ...Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, ""])),
    ...own.node,
    ...own.lightning,
    DATABASE_URL: own.databaseUrl,
    NETWORK: "regtest",
    PROCESSES: own.processes,
    HOST,
    PORT: String(own.port),
    PUBLIC_URL: `http://${NAME}:${own.port}`,
    APP_SECRET: own.appSecret,
    TEST_CUSTOMER_URL: own.customerUrl,
    WEBHOOK_ALLOWED_CIDRS: `${HOST}/32`, // the demo's receiver, and the visitor's own
    LIGHTNING_ALLOWED_CIDRS: `${HOST}/32`, // an LND of the visitor's own
    RATES_SOURCES: "fixed:USD=60000,EUR=55000",
  };
}

export function newKept(): Kept {
  return { appSecret: randomBytes(32).toString("hex"), database: `demo_${randomBytes(6).toString("hex")}` };
}
