import { z } from "zod";
import { STORE_LIGHTNING } from "../domain/lightning/store-lightning";
import { NETWORKS } from "../domain/network";
import { STORE_CREATION } from "../domain/account/store-creation";
import { RATE_SOURCES } from "../domain/money/rate-sources";
import { parseTrustedProxies } from "../domain/client-address";
import { parseAllowedCidrs } from "../domain/webhook/address";
import { parseRatesSources } from "./rates-sources";

interface Setting<S extends z.ZodType> {
  schema: S;
  about: string;
  /** In `.env.example`, commented out when the key may be left out. */
  example: string;
}
const setting = <S extends z.ZodType>(schema: S, about: string, example: string): Setting<S> => ({
  schema,
  about,
  example,
});

/** Common in passwords; whoever decodes the URL fails at them. */
function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

const url = (...protocols: string[]) =>
  z
    .string()
    .refine(
      (text) => {
        const parsed = URL.canParse(text) ? new URL(text) : null;
        return parsed !== null && protocols.includes(parsed.protocol.slice(0, -1));
      },
      {
        error: `must be a URL that starts with ${protocols.map((protocol) => `${protocol}://`).join(" or ")}`,
        abort: true,
      },
    )
    .refine(
      isPercentEncoded,
      "has a % that begins no percent-encoded character: write it as %25 (and @ as %40, / as %2F) in the user name and password",
    );
const wholeNumber = (least: number, most: number) => {
  const message = `must be a whole number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d+$/, message)
    .transform(Number)
    .refine((value) => value >= least && value <= most, message);
};
const list = z.string().transform((text) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean),
);
/** `read` throws a RangeError with the message. */
const listFor = (read: (entries: readonly string[]) => unknown) =>
  list.superRefine((entries, context) => {
    try {
      read(entries);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      context.addIssue({ code: "custom", message: error.message });
    }
  });
const hex = z.string().regex(/^([0-9a-fA-F]{2})+$/, "must be hexadecimal");
const hostAndPort = z.string().regex(/^[^\s/:]+:\d{1,5}$|^\[[0-9a-fA-F:]+\]:\d{1,5}$/, "must be host:port");

/** The driver takes weaker modes for `verify-full`, and warns unless it is named so. */
const verifyFull = (text: string): string =>
  /[?&]uselibpqcompat=true(?:&|$)/.test(text)
    ? text
    : text.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, "$1verify-full");

/** In the order of `.env.example`. */
export const SETTINGS = {
  DATABASE_URL: setting(
    url("postgres", "postgresql").transform(verifyFull),
    "Postgres 15 or newer, direct or through a session pooler (not a transaction pooler).",
    "postgres://quittance:password@127.0.0.1:5432/quittance",
  ),
  DATABASE_POOL_MAX: setting(
    wholeNumber(2, 200).default(5),
    "Database connections that each process may hold; all apps at the default fit in 80.",
    "5",
  ),
  PROCESSES: setting(
    z.enum(["each", "few"], { error: "must be each or few" }).default("each"),
    "How PM2 runs the workers: each as an app of its own, or all in one process (few), which is enough for a small machine.",
    "each",
  ),
  REDIS_URL: setting(
    url("redis", "rediss").optional(),
    "Redis 6.2 or newer with maxmemory-policy noeviction for the queues; without it the queues live in Postgres.",
    "redis://127.0.0.1:6379",
  ),
  NETWORK: setting(
    z.enum(NETWORKS, { error: `must be one of ${NETWORKS.join(", ")}` }),
    "The Bitcoin network; a database belongs to one network permanently.",
    "mainnet",
  ),
  BITCOIND_RPC_URL: setting(
    url("http", "https").optional(),
    "bitcoind's RPC, with user and password in the URL or with BITCOIND_COOKIE_FILE; without it on-chain payments are off: no invoice gets an address.",
    "http://user:password@127.0.0.1:8332",
  ),
  BITCOIND_COOKIE_FILE: setting(
    z.string().optional(),
    "bitcoind's cookie file, read again whenever bitcoind refuses the credentials.",
    "/var/lib/bitcoind/.cookie",
  ),
  BITCOIND_ZMQ_RAWTX: setting(
    url("tcp", "ipc").optional(),
    "bitcoind's zmqpubrawtx; found by getzmqnotifications when not given.",
    "tcp://127.0.0.1:28332",
  ),
  BITCOIND_ZMQ_HASHBLOCK: setting(
    url("tcp", "ipc").optional(),
    "bitcoind's zmqpubhashblock; found by getzmqnotifications when not given.",
    "tcp://127.0.0.1:28333",
  ),
  BITCOIND_MIN_PEERS: setting(
    wholeNumber(0, 1_000).optional(),
    "Peers that must relay transactions to bitcoind, else no invoice expires unpaid; default 1, and 0 on regtest: the node counts as the whole network.",
    "1",
  ),
  LND_GRPC_URL: setting(
    hostAndPort.optional(),
    "LND's gRPC as host:port; without it Lightning is off.",
    "127.0.0.1:10009",
  ),
  LND_TLS_CERT_FILE: setting(
    z.string().optional(),
    "LND's tls.cert, read again when it changes; without it (behind a proxy with a public certificate) the system's authorities are trusted.",
    "/var/lib/lnd/tls.cert",
  ),
  LND_TLS_CERT_HEX: setting(
    hex.optional(),
    "LND's tls.cert as hex, instead of the file.",
    "2d2d2d2d2d424547494e",
  ),
  LND_MACAROON_FILE: setting(
    z.string().optional(),
    "A macaroon with invoices:read, invoices:write, info:read and offchain:read; LND's own invoice.macaroon is enough to take payments.",
    "/var/lib/lnd/invoice.macaroon",
  ),
  LND_MACAROON_HEX: setting(hex.optional(), "The macaroon as hex, instead of the file.", "0201036c6e64"),
  STORE_LIGHTNING: setting(
    z.enum(STORE_LIGHTNING, { error: "must be everyone, admins or off" }).default("everyone"),
    "Who may connect an LND of their own to a store: its owners (everyone), server admins only, or nobody (off); nodes that are connected stay.",
    "everyone",
  ),
  LIGHTNING_ALLOWED_CIDRS: setting(
    listFor(parseAllowedCidrs).default([]),
    "Special address ranges (CIDR or CIDR:port) that stores' LNDs may have all the same, for nodes in your own network.",
    "192.168.1.0/24:10009",
  ),
  MAX_LIGHTNING_NODES: setting(
    wholeNumber(0, 10_000).default(1_000),
    "Most LNDs that stores may connect to this server; existing ones stay.",
    "1000",
  ),
  TOR_PROXY: setting(
    hostAndPort.optional(),
    "Tor's HTTP tunnel (HTTPTunnelPort) as host:port, for stores' LNDs at onion addresses.",
    "127.0.0.1:9080",
  ),
  HOST: setting(
    z.string().default("127.0.0.1"),
    "Address that the API listens on; keep loopback behind a reverse proxy with TLS.",
    "127.0.0.1",
  ),
  PORT: setting(wholeNumber(0, 65_535).default(3000), "Port that the API listens on.", "3000"),
  PUBLIC_URL: setting(
    url("http", "https").transform((text) => text.replace(/\/+$/, "")),
    "Where customers and merchants reach this service: the base of every checkoutUrl.",
    "https://pay.example.com",
  ),
  EXPLORER_TX_URL: setting(
    url("http", "https").optional(),
    "Where the dashboard's transactions lead: a block explorer's URL, to which the transaction's id is added. It sees which ones are opened; no links when not set.",
    "https://mempool.example.com/tx/",
  ),
  HSTS_INCLUDE_SUBDOMAINS: setting(
    z.enum(["off", "on"], { error: "must be on or off" }).default("off"),
    "Whether browsers must use https for all subdomains of PUBLIC_URL's host, too (includeSubDomains).",
    "off",
  ),
  TRUST_PROXY: setting(
    listFor(parseTrustedProxies).default([]),
    "Addresses or CIDRs of reverse proxies whose X-Forwarded-For counts; without it all clients behind a proxy count as one.",
    "127.0.0.1,::1",
  ),
  APP_SECRET: setting(
    z.string().min(32, "must have at least 32 characters: make one with `openssl rand -hex 32`"),
    "Encrypts secrets and wallets' keys at rest, and authenticates payment destinations; at least 32 characters; keep a copy apart from the database's backups.",
    "", // left empty on purpose: a secret that everybody can read here must not start a service
  ),
  APP_SECRET_OLD: setting(
    z.string().min(32, "must have at least 32 characters").optional(),
    "The former APP_SECRET while it is being rotated.",
    "the-secret-that-was-in-use-until-now",
  ),
  WEBHOOK_ALLOWED_CIDRS: setting(
    listFor(parseAllowedCidrs).default([]),
    "Special address ranges (CIDR or CIDR:port) that webhooks may reach all the same, for receivers in your own network.",
    "192.168.1.0/24,127.0.0.1/32:8080",
  ),
  RATE_LIMIT_PER_MINUTE: setting(
    wholeNumber(0, 1_000_000).default(6000),
    "API requests a minute for each store, whichever of its keys sends them (one with less than full access at most half), and for each user of the dashboard, at most 1,000 of them at once; 0 switches this limit and that of addresses off.",
    "6000",
  ),
  REQUIRE_SECOND_FACTOR: setting(
    z
      .enum(["nobody", "owners-and-admins"], { error: "must be nobody or owners-and-admins" })
      .default("nobody"),
    "Who must set up an authenticator app or a passkey in the dashboard before anything else: nobody, or owners-and-admins.",
    "owners-and-admins",
  ),
  STORE_CREATION: setting(
    z.enum(STORE_CREATION, { error: "must be admins or everyone" }).default("admins"),
    "Who may create stores in the dashboard: server admins only, or every user.",
    "admins",
  ),
  MAX_STORES_PER_USER: setting(
    wholeNumber(1, 100_000).default(20),
    "Stores that a user may own, archived ones included, if everyone may create them; server admins and the command line are exempt.",
    "20",
  ),
  MAX_WEBHOOKS_PER_STORE: setting(
    wholeNumber(1, 1_000).default(20),
    "Most webhooks of a store; existing ones stay.",
    "20",
  ),
  MAX_KEYS_PER_STORE: setting(
    wholeNumber(1, 10_000).default(50),
    "Most API keys of a store, expired ones included; existing ones stay.",
    "50",
  ),
  EXPIRY_HOLD_MINUTES: setting(
    wholeNumber(0, 10_080).default(60),
    "How long an invoice's expiry waits at most for a node that is unavailable, behind or blind; never longer than 24 hours.",
    "60",
  ),
  RETENTION_DAYS: setting(
    wholeNumber(1, 36_500).default(90),
    "Days for which webhooks' bodies, attempts and answers, alerts that ended, reports and the addresses of disabled users are kept; later redeliveries are refused.",
    "90",
  ),
  RATES_SOURCES: setting(
    listFor(parseRatesSources).default([...RATE_SOURCES]),
    "Exchange-rate sources, of which two must agree, or fixed rates such as fixed:USD=60000,EUR=55000.",
    RATE_SOURCES.join(","),
  ),
  METRICS_PORT: setting(
    wholeNumber(1, 65_535).optional(),
    "Port for Prometheus metrics on HOST; off when not set.",
    "9464",
  ),
  ALERT_URL: setting(
    url("http", "https").optional(),
    "Receives operator alerts as JSON by POST.",
    "https://ntfy.example.com/quittance",
  ),
  SMTP_URL: setting(
    url("smtp", "smtps").optional(),
    "Mail server for operator alerts (to) and for users' invitations and resets, with from and to as query parameters.",
    "smtps://user:password@mail.example.com?from=pay@example.com&to=ops@example.com",
  ),
  TEST_CUSTOMER_URL: setting(
    url("http").optional(),
    "On regtest only: the URL of a simulated customer, with which everybody can try every state of an invoice on its page.",
    "http://127.0.0.1:3099/customer",
  ),
  LOG_LEVEL: setting(
    z
      .enum(["debug", "info", "warn", "error"], { error: "must be debug, info, warn or error" })
      .default("info"),
    "How much is logged: debug, info, warn or error.",
    "info",
  ),
} as const;

/** Regtest's node is the whole network. */
export function minPeersOf({ BITCOIND_MIN_PEERS: given, NETWORK: network }: Partial<Config>): number {
  return given ?? (network === "regtest" ? 0 : 1);
}

export type SettingName = keyof typeof SETTINGS;
export type Config = { readonly [K in SettingName]: z.output<(typeof SETTINGS)[K]["schema"]> };
