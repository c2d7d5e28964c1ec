import type { LndClient } from "../../adapters/lnd/client";
import type { LndNodes } from "../../adapters/lnd/lnd-nodes";
import type { CommandContext } from "../../commands/context";
import type { NodeAccess } from "../../commands/ports";
import { openNode, type WatchedNode } from "../../commands/lightning/lightning-node";
import { COPY, leaseOf, readCopies, readNodesToWatch } from "../../commands/lightning/queries";
import type { Lease } from "../../database/lease";
import { NodeUnavailableError } from "../../domain/errors";
import { shareOfNodes } from "../../domain/lightning/share-nodes";
import { LightningNode, SERVER_NODE_ID } from "../../entities/lightning-node";
import { watchLightning, type LightningTimes } from "./lightning-loop";
import type { LightningMetrics } from "./lightning-session";

interface Watched {
  node: WatchedNode;
  version: string;
  /** The access was changed: another session begins. */
  changed: AbortController;
}

interface Parts {
  ctx: CommandContext;
  lightning: LndNodes;
  metrics: LightningMetrics;
  holder: string;
  times: Partial<LightningTimes> | undefined;
}

/** This copy's part of all nodes, by their leases. */
export class WatchedNodes {
  /** As they were last read. */
  #nodes: ReadonlyMap<string, Watched> = new Map();
  readonly #copy: string;

  constructor(private readonly parts: Parts) {
    this.#copy = COPY + parts.holder;
  }

  /** Leases, with the one by which the other copies count this one. */
  async wanted(held: ReadonlySet<string>): Promise<string[]> {
    const { ctx, lightning, holder: me } = this.parts;
    const { manager } = ctx.db;
    const { rows } = await readNodesToWatch(manager);
    const nodes = rows.filter(({ id }) => lightning.server || id !== SERVER_NODE_ID);
    const copies = (await readCopies(manager)).rows.map(({ holder }) => holder);
    this.#nodes = new Map(
      nodes.map(({ version, holder: _, ...node }) => [node.id, this.watched(node, version)]),
    );
    const ours = new Set(nodes.filter(({ id }) => held.has(leaseOf(id))).map(({ id }) => id));
    return [this.#copy, ...shareOfNodes(nodes, copies, { me, held: ours }).map(leaseOf)];
  }

  async lead(lease: Lease, signal: AbortSignal): Promise<void> {
    const nodeId = lease.name.slice(leaseOf("").length);
    while (!signal.aborted) {
      const watched = lease.name === this.#copy ? undefined : this.#nodes.get(nodeId);
      if (watched === undefined) return aborted(signal);
      const { node, changed } = watched;
      const either = AbortSignal.any([signal, changed.signal]);
      await this.watch({ ...node }, lease, either);
      if (!changed.signal.aborted) return;
    }
  }

  private watched(node: WatchedNode, version: string): Watched {
    const before = this.#nodes.get(node.id);
    if (before?.version === version) return before;
    before?.changed.abort();
    return { node, version, changed: new AbortController() };
  }

  private watch(node: WatchedNode, lease: Lease, signal: AbortSignal): Promise<void> {
    const { ctx, lightning, metrics, times } = this.parts;
    const own = node.id === SERVER_NODE_ID ? metrics : { ...metrics, lightningConnected: () => undefined };
    let access: NodeAccess | null = null; // another one begins another watch
    const open = async (): Promise<LndClient> => lightning.of((access ??= await accessOf(ctx, node)));
    return watchLightning({ ctx: { ...ctx, lease }, node, open }, own, signal, times);
  }
}

async function accessOf(ctx: CommandContext, node: WatchedNode): Promise<NodeAccess> {
  if (node.id === SERVER_NODE_ID) return { id: node.id };
  const row = await ctx.db.manager.findOneBy(LightningNode, { id: node.id });
  const access = row && openNode(ctx.secrets, row);
  node.otherKey = row?.otherKey ?? null; // another copy may have seen another node
  if (access === null)
    throw new NodeUnavailableError("its stored access was not written by this service", "forbidden");
  return access;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
