import { createHash } from "node:crypto";
import type { Bolt11Request, LightningFacts, LightningInfo, NodeInvoice } from "../../commands/ports";
import type { Answer } from "./calls";
import type { LndClient, LndFacts, LndState } from "./client";
import { Connection, LND_TIMES, type LndSettings, type LndTimes } from "./connection";
import { LndFailure } from "./failure";

/** BOLT 11: 1023 groups of 5 bits. */
const DESCRIPTION_BYTES_MAX = 639;
/** A payment hash. Looking it up shows the macaroon's rights, and changes nothing. */
export const NO_INVOICE = createHash("sha256").update("a payment hash without an invoice").digest("hex");

const sha256 = (bytes: Buffer | string): Buffer => createHash("sha256").update(bytes).digest();

/** Connects with the first call. */
export function makeLndClient(settings: LndSettings, times: Partial<LndTimes> = {}): LndClient {
  const allTimes = { ...LND_TIMES, ...times };
  const connection = new Connection(settings, allTimes);
  return {
    ...aboutTheNode(connection),
    ...aboutInvoices(connection, allTimes),
    reconnect: () => connection.giveUp(),
    close: () => connection.giveUp(),
  };
}

const STATES: Record<string, LndState> = {
  NON_EXISTING: "locked",
  LOCKED: "locked",
  WAITING_TO_START: "starting",
  UNLOCKED: "starting",
  RPC_ACTIVE: "starting",
  SERVER_ACTIVE: "active",
};

type AboutTheNode = Pick<LndClient, "state" | "info" | "facts" | "inspect" | "receivableSats">;

function aboutTheNode(connection: Connection): AboutTheNode {
  return {
    async state() {
      return STATES[(await connection.call("getState", {})).state] ?? "starting";
    },
    info: async () => infoOf(await shownInfo(connection)),
    facts: async () => (await fetchFacts(connection)).facts,
    async inspect(): Promise<LndFacts> {
      const noInvoice = Buffer.from(NO_INVOICE, "hex");
      const { facts, version } = await fetchFacts(connection);
      const rights = await Promise.all([
        missing(connection.call("lookupInvoice", { r_hash: noInvoice }), "invoices:read"),
        missing(connection.call("cancelInvoice", { payment_hash: noInvoice }), "invoices:write"),
      ]);
      return { ...facts, version, missingRights: [...rights.flat(), ...facts.missingRights] };
    },
    receivableSats: () => orNull(receivable(connection), "right-missing"),
  };
}

/** Null: too many channels to be read. */
const receivable = (connection: Connection): Promise<bigint | null> =>
  orNull(connection.call("listChannels", { active_only: true }), "too-large");

type ShownInfo = Answer<"getInfo"> | null;
const shownInfo = (connection: Connection): Promise<ShownInfo> =>
  orNull(connection.call("getInfo", {}), "right-missing");

const infoOf = (info: ShownInfo): LightningInfo => ({
  nodeKey: info?.identity_pubkey ?? null,
  network: info?.chains[0]?.network ?? null,
  synchronized: info?.synced_to_chain ?? null,
});

async function fetchFacts(
  connection: Connection,
): Promise<{ facts: LightningFacts; version: string | null }> {
  const channels = receivable(connection);
  const [info, receivableSats, offchain] = await Promise.all([
    shownInfo(connection),
    orNull(channels, "right-missing"),
    missing(channels, "offchain:read"),
  ]);
  return {
    facts: {
      ...infoOf(info),
      receivableSats,
      missingRights: [...(info === null ? ["info:read"] : []), ...offchain],
    },
    version: info?.version ?? null,
  };
}

type AboutInvoices = Pick<LndClient, "addInvoice" | "lookUpInvoice" | "cancelInvoice" | "subscribeSettled">;

function aboutInvoices(connection: Connection, times: LndTimes): AboutInvoices {
  const lookUp = async (paymentHash: Buffer, withinMs?: number): Promise<NodeInvoice | null> => {
    const call = connection.call("lookupInvoice", { r_hash: paymentHash }, withinMs);
    const found = await orNull(call, "not-found");
    if (found !== null && found.paymentHash !== paymentHash.toString("hex"))
      throw new LndFailure("malformed", "LND shows another invoice than it was asked for");
    return found;
  };
  return {
    async addInvoice(request) {
      const began = performance.now();
      const paymentHash = sha256(request.preimage);
      const added = await orNull(
        connection.call("addInvoice", written(request), times.addInvoice),
        "duplicate",
      );
      if (added !== null) return opened(added.payment_request, paymentHash, request.preimage);
      const left = times.addInvoice - (performance.now() - began);
      const adopted = await lookUp(paymentHash, left);
      if (adopted === null)
        throw new LndFailure("malformed", "LND has an invoice of this payment hash, but does not show it");
      return adopted;
    },
    lookUpInvoice: (paymentHash) => lookUp(Buffer.from(paymentHash, "hex")),
    async cancelInvoice(paymentHash) {
      try {
        await connection.call("cancelInvoice", { payment_hash: Buffer.from(paymentHash, "hex") });
        return "canceled";
      } catch (error) {
        const { meaning } = error as LndFailure;
        if (meaning === "settled" || meaning === "accepted") return meaning;
        if (meaning === "not-found") return "unknown";
        throw error;
      }
    },
    async subscribeSettled(settleIndex, onSettled, signal) {
      const request = { settle_index: settleIndex.toString() };
      for await (const message of connection.stream("subscribeInvoices", request, signal))
        if (message.answer.state === "settled") message.useful = (await onSettled(message.answer)) === true;
    },
  };
}

function written({ preimage, amountSats, description, expiresInSeconds, privateRouteHints }: Bolt11Request) {
  return {
    r_preimage: preimage,
    value: amountSats.toString(),
    expiry: expiresInSeconds.toString(),
    private: privateRouteHints,
    ...(Buffer.byteLength(description) <= DESCRIPTION_BYTES_MAX
      ? { memo: description }
      : { description_hash: sha256(description) }),
  };
}

const opened = (bolt11: string, paymentHash: Buffer, preimage: Buffer): NodeInvoice => ({
  paymentHash: paymentHash.toString("hex"),
  state: "open",
  bolt11,
  amountPaidMsat: 0n,
  settledAt: null,
  settleIndex: 0n,
  preimage: preimage.toString("hex"),
});

/** Null if LND refuses with this meaning. */
async function orNull<T>(call: Promise<T>, meaning: LndFailure["meaning"]): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof LndFailure && error.meaning === meaning) return null;
    throw error;
  }
}

/** "No such invoice" is a normal answer. */
async function missing(call: Promise<unknown>, right: string): Promise<string[]> {
  try {
    await call;
    return [];
  } catch (error) {
    if (!(error instanceof LndFailure)) throw error;
    if (error.meaning === "right-missing") return [right];
    if (error.meaning === "not-found") return [];
    throw error;
  }
}
