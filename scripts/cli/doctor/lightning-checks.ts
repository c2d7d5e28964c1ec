import { makeLndClient } from "../../../adapters/lnd/lnd-client";
import type { LndClient, LndFacts } from "../../../adapters/lnd/client";
import { lndSettings } from "../../../adapters/lnd/settings";
import type { Config } from "../../../config/schema";
import { NodeUnavailableError } from "../../../domain/errors";
import type { Network } from "../../../domain/network";
import { failed, off, ok, reasonOf, unknown, warning, type Check } from "./check";

const NAMES = [
  "lightning",
  "lightning-rights",
  "lightning-network",
  "lightning-sync",
  "lightning-receivable",
] as const;
const REQUIRED = ["invoices:read", "invoices:write"];
/** Versions before it have published defects by which a node can lose money. */
const OLDEST = [0, 18] as const;
const BAKE =
  "On LND's host run `lncli bakemacaroon --save_to quittance.macaroon invoices:read invoices:write info:read offchain:read`, and set LND_MACAROON_FILE to it.";
const CERTIFICATE =
  "Set LND_TLS_CERT_FILE or LND_TLS_CERT_HEX to LND's current tls.cert; LND makes a new one when it has expired (tlsautorefresh) or was deleted. Behind a proxy with a public certificate set neither: then the system's authorities are trusted, and those of NODE_EXTRA_CA_CERTS.";
const ADDRESS =
  "Does LND run, does it listen where this host can reach it (rpclisten), and is LND_GRPC_URL its gRPC (10009), not its REST (8080)?";

const rest = (message: string): Check[] => NAMES.slice(1).map((name) => unknown(name, message));

function versionCheck({ version }: LndFacts): Check {
  if (version === null) return ok("lightning", "LND is active; its version is not shown without info:read.");
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(version) ?? [];
  const enough = Number(major) > OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1]);
  return enough
    ? ok("lightning", `LND ${version}`)
    : warning(
        "lightning",
        `LND ${version} has known defects by which a node can lose money.`,
        `Update LND to ${OLDEST.join(".")} or newer.`,
      );
}

function rightsCheck({ missingRights }: LndFacts): Check {
  const name = "lightning-rights";
  if (missingRights.length === 0) return ok(name, "The macaroon has all useful permissions.");
  const message = `The macaroon lacks ${missingRights.join(", ")}.`;
  if (missingRights.some((right) => REQUIRED.includes(right)))
    return failed(name, `${message} Lightning payments are impossible without them.`, BAKE);
  return warning(
    name,
    `${message} Payments work, but health does not show ${[
      ...(missingRights.includes("info:read") ? ["LND's network, version and sync state"] : []),
      ...(missingRights.includes("offchain:read") ? ["what its channels can receive"] : []),
    ].join(" and ")}.`,
    BAKE,
  );
}

function networkCheck({ network }: LndFacts, ours: Network | undefined): Check {
  const name = "lightning-network";
  if (network === null) return off(name, "Unknown: the macaroon lacks info:read.");
  if (ours === undefined) return unknown(name, `LND is on ${network}; NETWORK is missing or wrong.`);
  return network === ours
    ? ok(name, network)
    : failed(
        name,
        `LND is on ${network}, but NETWORK is ${ours}.`,
        "Point LND_GRPC_URL to an LND of this network.",
      );
}

function syncCheck({ synchronized }: LndFacts): Check {
  const name = "lightning-sync";
  if (synchronized === null) return off(name, "Unknown: the macaroon lacks info:read.");
  return synchronized
    ? ok(name, "LND has caught up with the chain.")
    : failed(
        name,
        "LND is still syncing with the chain.",
        "Wait, and check whether its Bitcoin node has caught up.",
      );
}

function receivableCheck(sats: bigint | null): Check {
  const name = "lightning-receivable";
  if (sats === null) return off(name, "Unknown: the macaroon lacks offchain:read.");
  return sats > 0n
    ? ok(name, `Its active channels can receive ${sats} sats.`)
    : warning(
        name,
        "Its active channels have no capacity to receive, so nobody can pay by Lightning.",
        "Buy inbound capacity, or spend over one of your channels; check whether the peers are online.",
      );
}

async function wakefulChecks(client: LndClient, network: Network | undefined): Promise<Check[]> {
  const facts = await client.inspect();
  return [
    versionCheck(facts),
    rightsCheck(facts),
    networkCheck(facts, network),
    syncCheck(facts),
    receivableCheck(await client.receivableSats()),
  ];
}

async function checksOf(client: LndClient, network: Network | undefined): Promise<Check[]> {
  const state = await client.state();
  if (state === "active") return wakefulChecks(client, network);
  const sleeping =
    state === "locked"
      ? failed(
          "lightning",
          "LND's wallet is locked.",
          "Run `lncli unlock` (once `lncli create`), or let LND unlock itself with wallet-unlock-password-file.",
        )
      : failed("lightning", "LND is starting.", "Wait; its log says what it waits for.");
  return [sleeping, ...rest("Unknown until LND is active.")];
}

function refusal(error: unknown): Check[] {
  const message = reasonOf(error);
  if (!(error instanceof NodeUnavailableError) || error.fault !== "forbidden")
    return [
      failed("lightning", `LND is not reachable: ${message}.`, ADDRESS),
      ...rest("Unknown without LND."),
    ];
  if (/certificate/.test(message))
    return [
      failed("lightning", `LND cannot be trusted: ${message}.`, CERTIFICATE),
      ...rest("Unknown without LND."),
    ];
  return [
    ok("lightning", "LND is active."),
    failed("lightning-rights", `${message}.`, BAKE),
    ...rest("Unknown without a macaroon that LND accepts.").slice(1),
  ];
}

/** `configured`: whether LND_GRPC_URL is given, be it right or wrong. */
export async function lightningChecks(config: Partial<Config>, configured: boolean): Promise<Check[]> {
  if (!configured) return NAMES.map((name) => off(name, "LND_GRPC_URL is not set: Lightning is off."));
  const settings = lndSettings(config);
  if (settings === null)
    return NAMES.map((name) => unknown(name, "LND_GRPC_URL, LND_TLS_CERT_… or LND_MACAROON_… is wrong."));
  const client = makeLndClient(settings);
  try {
    return await checksOf(client, config.NETWORK);
  } catch (error) {
    return refusal(error);
  } finally {
    client.close();
  }
}
