import { openBlindGap, openBlindSince } from "./chain-gaps";
import { readChainStanding } from "./chain-standing";
import type { NodeConnectivity, NodeInfo } from "../ports";
import { assertLease } from "../server/lease";
import { raiseAlert, resolveAlert } from "../server/raise-alert";
import type { ChainWatch } from "../server/watch";

/** The apparent difference between clocks that are read one after the other. */
const SLACK_MS = 5_000;
/**
 * On mainnet one block in some sixty million takes longer. A node without one for so long is cut off, or on its own
 * chain.
 */
const TIP_AGE_MAX_MS = 3 * 3_600_000;
const TIP = "tip";

/**
 * Peers of the node that have sent it headers up to its own height. Such a peer counts for as long as it is
 * connected, since it does not announce blocks that it received from us.
 */
export class HeardPeers {
  readonly #ids = new Set<number>();

  /** How many of them are still connected and count. */
  count({ peers }: NodeConnectivity, height: number): number {
    const connected = new Set(peers.map(({ id }) => id));
    for (const id of this.#ids) if (!connected.has(id)) this.#ids.delete(id);
    for (const { id, syncedHeaders } of peers) if (syncedHeaders >= height) this.#ids.add(id);
    return peers.filter(({ id, relaysTransactions }) => relaysTransactions && this.#ids.has(id)).length;
  }

  /** After a restart the node numbers its peers from the start. */
  forget(): void {
    this.#ids.clear();
  }
}

/** What a check must know, at its beginning, about the node's connection to the network. */
export interface Hearing {
  uptimeSeconds: number;
  highestHeader: number;
  /** Why the node does not receive all transactions; null when it does. */
  deaf: string | null;
}

/**
 * Whether the node receives what the network broadcasts. If not, or if it was restarted since the last complete
 * check, a gap is recorded. With BITCOIND_MIN_PEERS=0 the node counts as the whole network.
 * @throws NodeUnavailableError, LeaseLostError
 */
export async function checkConnectivity(
  watch: ChainWatch,
  heard: HeardPeers,
  info: NodeInfo,
): Promise<Hearing> {
  const { ctx, chain } = watch;
  const { minPeers } = ctx.settings;
  const node = await chain.connectivity();
  const { uptimeSeconds } = node;
  const highestHeader = Math.max(info.headers, ...node.peers.map(({ syncedHeaders }) => syncedHeaders));
  const relays = node.relaysTransactions
    ? null
    : "The Bitcoin node relays no transactions (blocksonly): payments are not seen before they are in a block. Set blocksonly=0 in bitcoin.conf.";
  if (minPeers === 0) return { uptimeSeconds, highestHeader, deaf: relays };
  if (await wasRestarted(watch, uptimeSeconds)) {
    heard.forget();
    await openBlindGap(watch, "the node was restarted");
  }
  const peers = heard.count(node, info.blocks);
  if (relays === null && peers >= minPeers) return { uptimeSeconds, highestHeader, deaf: null };
  await openBlindGap(
    watch,
    relays === null ? "the node has too few peers" : "the node relays no transactions",
  );
  const since = await openBlindSince(ctx.db.manager);
  const missing = `The Bitcoin node has ${peers} peers that relay transactions and have announced their blocks; BITCOIND_MIN_PEERS is ${minPeers}.`;
  const blind = since === null ? "" : ` Payments may have been missed since ${since.toISOString()}.`;
  return { uptimeSeconds, highestHeader, deaf: `${relays ?? missing}${blind}` };
}

/** Whether the node reports a start after the beginning of the last complete check. */
async function wasRestarted({ ctx }: ChainWatch, uptimeSeconds: number): Promise<boolean> {
  const { caughtUpTo } = await readChainStanding(ctx.db.manager);
  if (caughtUpTo === null) return false;
  const now = await ctx.now(ctx.db.manager); // after the answer, because a slow answer must not hide a restart
  return uptimeSeconds * 1_000 < now.getTime() - caughtUpTo.getTime() + SLACK_MS;
}

/**
 * Alerts that the tip is hours old, on networks with a block every ten minutes. Returns the problem while it lasts.
 * @throws LeaseLostError
 */
export async function followTipAge(watch: ChainWatch, info: NodeInfo, now: Date): Promise<string | null> {
  const { ctx, lease } = watch;
  if (ctx.settings.network !== "mainnet") return null;
  const minedAt = new Date(info.tipTimeSeconds * 1_000);
  const old = now.getTime() - minedAt.getTime() > TIP_AGE_MAX_MS;
  const problem = `The Bitcoin node has received no block since ${minedAt.toISOString()}: check its peers and its clock.`;
  await ctx.db.transaction(async (manager) => {
    await assertLease(manager, lease);
    if (!old) return resolveAlert(manager, ctx, "node-blind", TIP);
    return raiseAlert(manager, ctx, {
      kind: "node-blind",
      severity: "critical",
      subject: TIP,
      message: problem,
    });
  });
  return old ? problem : null;
}
