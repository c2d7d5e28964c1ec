import { makeLndClient } from "../../../adapters/lnd/lnd-client";
import type { LndClient, LndFacts } from "../../../adapters/lnd/client";
import { lndSettings } from "../../../adapters/lnd/settings";
import type { Config } from "../../../config/schema";
import { NodeUnavailableError } from "../../../domain/errors";
import type { Network } from "../../../domain/network";
import {
  type Check,
  failed,
  type Finding,
  listed,
  named,
  off,
  ok,
  reasonOf,
  unknown,
  warning,
} from "./check";

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

function versionCheck({ version }: LndFacts): Finding {
  if (version === null) return ok("LND is active; its version is not shown without info:read.");
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(version) ?? [];
  const enough = Number(major) > OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1]);
  return enough
    ? ok(`LND ${version}`)
    : warning(
        `LND ${version} has known defects by which a node can lose money.`,
        `Update LND to ${OLDEST.join(".")} or newer.`,
      );
}

function rightsCheck({ missingRights }: LndFacts): Finding {
  if (missingRights.length === 0) return ok("The macaroon has all useful permissions.");
  const message = `The macaroon lacks ${missingRights.join(", ")}.`;
  if (missingRights.some((right) => REQUIRED.includes(right)))
    return failed(`${message} Lightning payments are impossible without them.`, BAKE);
  return warning(
    `${message} Payments work, but health does not show ${[
      ...(missingRights.includes("info:read") ? ["LND's network, version and sync state"] : []),
      ...(missingRights.includes("offchain:read") ? ["what its channels can receive"] : []),
    ].join(" and ")}.`,
    BAKE,
  );
}

function networkCheck({ network }: LndFacts, ours: Network | undefined): Finding {
  if (network === null) return off("Unknown: the macaroon lacks info:read.");
  if (ours === undefined) return unknown(`LND is on ${network}; NETWORK is missing or wrong.`);
  return network === ours
    ? ok(network)
    : failed(
        `LND is on ${network}, but NETWORK is ${ours}.`,
        "Point LND_GRPC_URL to an LND of this network.",
      );
}

function syncCheck({ synchronized }: LndFacts): Finding {
  if (synchronized === null) return off("Unknown: the macaroon lacks info:read.");
  return synchronized
    ? ok("LND has caught up with the chain.")
    : failed(
        "LND is still syncing with the chain.",
        "Wait, and check whether its Bitcoin node has caught up.",
      );
}

function receivableCheck(sats: bigint | null): Finding {
  if (sats === null) return off("Unknown: the macaroon lacks offchain:read.");
  return sats > 0n
    ? ok(`Its active channels can receive ${sats} sats.`)
    : warning(
        "Its active channels have no capacity to receive, so nobody can pay by Lightning.",
        "Buy inbound capacity, or spend over one of your channels; check whether the peers are online.",
      );
}

async function wakefulChecks(client: LndClient, network: Network | undefined): Promise<Check[]> {
  const facts = await client.inspect();
  return named({
    lightning: versionCheck(facts),
    "lightning-rights": rightsCheck(facts),
    "lightning-network": networkCheck(facts, network),
    "lightning-sync": syncCheck(facts),
    "lightning-receivable": receivableCheck(await client.receivableSats()),
  });
}

async function checksOf(client: LndClient, network: Network | undefined): Promise<Check[]> {
  const state = await client.state();
  if (state === "active") return wakefulChecks(client, network);
  const sleeping =
    state === "locked"
      ? failed(
          "LND's wallet is locked.",
          "Run `lncli unlock` (once `lncli create`), or let LND unlock itself with wallet-unlock-password-file.",
        )
      : failed("LND is starting.", "Wait; its log says what it waits for.");
  return listed(NAMES, [sleeping], unknown("Unknown until LND is active."));
}

function refusal(error: unknown): Check[] {
  const message = reasonOf(error);
  const without = unknown("Unknown without LND.");
  if (!(error instanceof NodeUnavailableError) || error.fault !== "forbidden")
    return listed(NAMES, [failed(`LND is not reachable: ${message}.`, ADDRESS)], without);
  if (/certificate/.test(message))
    return listed(NAMES, [failed(`LND cannot be trusted: ${message}.`, CERTIFICATE)], without);
  const refused = [ok("LND is active."), failed(`${message}.`, BAKE)];
  return listed(NAMES, refused, unknown("Unknown without a macaroon that LND accepts."));
}

/** `configured`: whether LND_GRPC_URL is given, be it right or wrong. */
export async function lightningChecks(config: Partial<Config>, configured: boolean): Promise<Check[]> {
  if (!configured)
    return listed(NAMES, [], off("LND_GRPC_URL is not set: the server has no Lightning node."));
  const settings = lndSettings(config);
  if (settings === null)
    return listed(NAMES, [], unknown("LND_GRPC_URL, LND_TLS_CERT_… or LND_MACAROON_… is wrong."));
  const client = makeLndClient(settings);
  try {
    return await checksOf(client, config.NETWORK);
  } catch (error) {
    return refusal(error);
  } finally {
    client.close();
  }
}
