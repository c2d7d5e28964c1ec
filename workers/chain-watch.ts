import { setTimeout as sleep } from "node:timers/promises";
import type { BitcoindRpc } from "../adapters/bitcoind/rpc";
import type { ZmqSettings, ZmqSubscription, ZmqTopic } from "../adapters/bitcoind/zmq";
import { zmqAddresses, type ZmqAddressWishes } from "../adapters/bitcoind/zmq-addresses";
import type { ProcessMetrics } from "../adapters/metrics/process-metrics";
import type { CommandContext } from "../commands/context";
import type { Lease } from "../database/lease";
import { NodeUnavailableError } from "../domain/errors";
import { ChainHints, watchChain } from "./chain/chain-loop";
import { runAsLeader } from "./leader";
import type { RunningWorker, StartWorker } from "./worker";

const ASK_FOR_ZMQ_AGAIN_MS = 5_000;

export interface ChainWatchParts {
  ctx: CommandContext;
  chain: BitcoindRpc;
  metrics: Pick<ProcessMetrics, "zmq" | "malformed">;
  zmq: ZmqAddressWishes & Pick<ZmqSettings, "silenceMs" | "reconnectMs">;
  /** The lease's holder, for people who read the row. */
  holder: string;
  /** The worker cannot continue; the process must be restarted. */
  onFatal: (error: Error) => void;
  /** The longest time between two complete checks. */
  tickMs?: number;
}

export const startChainWatch: StartWorker = ({ ctx, config, chain, metrics, instanceId, onFatal }) => {
  if (chain === null || config.BITCOIND_RPC_URL === undefined) {
    ctx.log.info({}, "chain: BITCOIND_RPC_URL is not set, nothing to watch");
    return { close: () => Promise.resolve() };
  }
  const zmq = {
    rpcUrl: config.BITCOIND_RPC_URL,
    rawtx: config.BITCOIND_ZMQ_RAWTX,
    hashblock: config.BITCOIND_ZMQ_HASHBLOCK,
  };
  return runChainWatch({ ctx, chain, metrics, zmq, holder: instanceId, onFatal });
};

/** Leads the watch over the chain, or is standby while another process leads. */
export function runChainWatch(parts: ChainWatchParts): RunningWorker {
  return runAsLeader(parts.ctx, {
    name: "chain-watch",
    holder: parts.holder,
    onStuck: parts.onFatal,
    lead: (lease, signal) => lead(parts, lease, signal),
  });
}

async function lead(parts: ChainWatchParts, lease: Lease, signal: AbortSignal): Promise<void> {
  const { ctx, chain, metrics, tickMs } = parts;
  const hints = new ChainHints();
  const listening = listen(parts, hints, signal).catch((error: unknown) => {
    ctx.log.error({ err: error }, "zmq: unusable, polling instead");
    return null;
  });
  await watchChain({ ctx: { ...ctx, lease }, chain }, { hints, metrics }, signal, tickMs);
  await (await listening)?.close();
}

/** Subscribes as soon as the node reports its addresses, which may take a while. Null if it never does. */
async function listen(
  { ctx, chain, metrics, zmq }: ChainWatchParts,
  hints: ChainHints,
  signal: AbortSignal,
): Promise<ZmqSubscription | null> {
  // Its library has native code, which not every system can load.
  const { subscribeZmq } = await import("../adapters/bitcoind/zmq.js");
  let malformed = 0;
  for (;;) {
    try {
      const asked = zmq.rawtx === undefined || zmq.hashblock === undefined;
      const addresses = zmqAddresses(zmq, asked ? await chain.zmqNotifications() : []);
      if (signal.aborted) return null;
      for (const [topic, address] of Object.entries(addresses))
        if (address === null)
          ctx.log.warn({ topic }, "zmq: topic not published by the node, polling instead");
      const lost =
        (event: "gap" | "reconnected") =>
        (topic: ZmqTopic): void => {
          metrics.zmq(topic, event);
          hints.miss();
        };
      return subscribeZmq(
        { ...zmq, addresses },
        {
          onRawTx: (raw) => hints.transaction(raw),
          onBlock: () => hints.check(),
          onGap: lost("gap"),
          onReconnected: lost("reconnected"),
          onMalformed: (topic) => {
            malformed += 1;
            metrics.zmq(topic, "malformed");
            ctx.log.warn({ topic, total: malformed }, "zmq: malformed message skipped");
          },
        },
        ctx.log,
      );
    } catch (error) {
      if (!(error instanceof NodeUnavailableError)) throw error;
      await sleep(ASK_FOR_ZMQ_AGAIN_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return null;
    }
  }
}
