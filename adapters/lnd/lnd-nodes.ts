import { isDeepStrictEqual } from "node:util";
import { type InTurn, limitConcurrency, NoTurnError } from "../../database/limit-concurrency";
import type { LightningNodes, LightningPort, NodeAccess, NodeInvoice } from "../../commands/ports";
import type { LndClient } from "./client";
import { LND_TIMES, newUse, type LndSettings, type LndTimes } from "./connection";
import type { Dialer } from "./dial";
import { LndFailure, NO_ANSWER } from "./failure";
import { makeLndClient } from "./lnd-client";

/** The same with all calls of a client. */
export interface LndNodes extends LightningNodes {
  of(access: NodeAccess): LndClient;
  close(): void;
}

/** A node's calls in flight: other nodes wait for none of them. The rest waits, but what a customer waits for. */
const CALLS_AT_ONCE = 20;
const WAITING_MAX = 200;
/** A customer waits for it. */
const ADD_INVOICE_MS = 2_000;
/** After an unanswered call: whatever else would wait for the node fails at once. */
const PAUSE_MS = 2_000;

/** An invoice that was paid in hundreds of parts. Such are looked up singly, for all nodes: each takes that memory. */
const LONG_ANSWER_BYTES = 4 * 1024 * 1024;
const LONG_WAITING_MAX = 20;

/** More than the nodes that a server may have. */
const CLIENTS_MAX = 2_000;

interface Known {
  access: NodeAccess;
  client: LndClient;
}

/** `server`: null without LND_GRPC_URL. `dialer`: to stores' nodes. */
export function makeLndNodes(
  server: LndSettings | null,
  dialer: Dialer,
  times: Partial<LndTimes> = {},
): LndNodes {
  const known = new Map<string, Known>();
  const means = { server, dialer, times, long: limitConcurrency(1, { waitingMax: LONG_WAITING_MAX }) };
  const forget = (nodeId: string): void => {
    known.get(nodeId)?.client.close();
    known.delete(nodeId);
  };
  return {
    server: server !== null,
    of(access) {
      const before = known.get(access.id);
      const same = before !== undefined && isDeepStrictEqual(before.access, access);
      if (!same) forget(access.id);
      const now = same ? before : { access, client: clientOf(access, means) };
      // The one that was not asked for the longest comes first.
      known.delete(access.id);
      known.set(access.id, now);
      const [oldest] = known.keys();
      if (known.size > CLIENTS_MAX && oldest !== undefined) forget(oldest);
      return now.client;
    },
    close() {
      for (const nodeId of [...known.keys()]) forget(nodeId);
    },
  };
}

interface Means {
  server: LndSettings | null;
  dialer: Dialer;
  times: Partial<LndTimes>;
  /** For long answers. */
  long: InTurn;
}

function clientOf({ given }: NodeAccess, { server, dialer, times, long }: Means): LndClient {
  if (given === undefined) {
    if (server === null) throw new LndFailure("away", "LND_GRPC_URL is not set");
    return makeLndClient(server, times);
  }
  const { address, certificate, macaroon } = given;
  const settings = {
    address,
    certificate: certificate === null ? null : { text: certificate },
    macaroon: { hex: macaroon },
    dial: dialer(address),
  };
  const client = makeLndClient(settings, { ...LND_TIMES, addInvoice: ADD_INVOICE_MS, ...times });
  const uses = makeUses();
  const { reconnect, close } = client;
  const ending = { reconnect: uses.endedBy(reconnect), close: uses.endedBy(close) };
  const connect = (): LndClient => makeLndClient(forLong(settings), times);
  return { ...bounded(withLong(client, { long, uses, connect }), uses), ...ending };
}

const forLong = ({ dial, ...settings }: LndSettings & Required<Pick<LndSettings, "dial">>): LndSettings => ({
  ...settings,
  async dial() {
    const { options, ...dialled } = await dial();
    return { ...dialled, options: { ...options, "grpc.max_receive_message_length": LONG_ANSWER_BYTES } };
  },
});

type Uses = ReturnType<typeof makeUses>;

/** Ends, with the connection, all that is under way for a client. */
function makeUses() {
  let use = newUse();
  return {
    now: (): AbortSignal => use.signal,
    endedBy: (end: () => void) => (): void => {
      use.abort();
      use = newUse();
      end();
    },
  };
}

/** An answer that is too large is asked for again, by a connection of its own. Of each node one waits for its turn. */
function withLong(
  client: LndClient,
  { long, uses, connect }: { long: InTurn; uses: Uses; connect: () => LndClient },
): LndClient {
  const own = limitConcurrency(1);
  const again = async (paymentHash: string, gone: AbortSignal): Promise<NodeInvoice | null> => {
    const other = connect();
    gone.addEventListener("abort", other.close);
    return other.lookUpInvoice(paymentHash).finally(() => {
      gone.removeEventListener("abort", other.close);
      other.close();
    });
  };
  const lookUpInvoice = (paymentHash: string): Promise<NodeInvoice | null> => {
    const gone = uses.now();
    return client.lookUpInvoice(paymentHash).catch((error: unknown) => {
      if (!(error instanceof LndFailure) || error.meaning !== "too-large") throw error;
      return own(() => long(() => again(paymentHash, gone), gone), gone).catch(() => {
        // It is about this invoice alone, however slow the node is.
        throw gone.aborted ? new LndFailure("away", NO_ANSWER) : error;
      });
    });
  };
  return { ...client, lookUpInvoice };
}

/** A node that hangs, or is called too often, occupies no more than its own places. */
function bounded(client: LndClient, uses: Uses): LndClient {
  let pausedUntil = 0;
  const bind = <A extends unknown[], R>(inTurn: InTurn, call: (...given: A) => Promise<R>) => {
    const attempt = async (given: A): Promise<R> => {
      if (performance.now() < pausedUntil) throw new LndFailure("away", NO_ANSWER);
      try {
        return await call(...given);
      } catch (error) {
        const late = error instanceof LndFailure && error.meaning === "late";
        if (late) pausedUntil = performance.now() + PAUSE_MS;
        throw error;
      }
    };
    return (...given: A): Promise<R> =>
      inTurn(() => attempt(given), uses.now()).catch((error: unknown) => {
        if (error instanceof NoTurnError) throw new LndFailure("away", "LND does not answer fast enough");
        throw error;
      });
  };
  const waits = limitConcurrency(CALLS_AT_ONCE, { waitingMax: WAITING_MAX });
  const atOnce = limitConcurrency(CALLS_AT_ONCE, { waitingMax: 0 });
  const held: LightningPort = {
    info: bind(waits, client.info),
    facts: bind(waits, client.facts),
    addInvoice: bind(atOnce, client.addInvoice),
    lookUpInvoice: bind(waits, client.lookUpInvoice),
    cancelInvoice: bind(waits, client.cancelInvoice),
    receivableSats: bind(waits, client.receivableSats),
  };
  return { ...client, ...held };
}
