import { createHash, randomBytes } from "node:crypto";
import { expect } from "chai";
import type { LndClient } from "../../../adapters/lnd/client";
import { LndFailure } from "../../../adapters/lnd/failure";
import { makeLndClient } from "../../../adapters/lnd/lnd-client";
import type { Bolt11Request, NodeInvoice } from "../../../commands/ports";
import { decodeBolt11 } from "../../../domain/lightning/decode-bolt11";
import { SimulatedLnd } from "../../support/devnet/simulated-lnd";
import { eventually } from "../../support/eventually";
import { lndSettingsOf, TEST_LND_TIMES, type MacaroonName } from "../../support/lightning";

const UNKNOWN = "11".repeat(32);
const sha256 = (bytes: Buffer | string): string => createHash("sha256").update(bytes).digest("hex");

function request(changes: Partial<Bolt11Request> = {}): Bolt11Request {
  return {
    preimage: randomBytes(32),
    amountSats: 1_234n,
    description: "two coffees",
    expiresInSeconds: 900,
    privateRouteHints: false,
    ...changes,
  };
}

async function refusalOf(call: Promise<unknown>): Promise<LndFailure> {
  const error: unknown = await call.then(
    () => new Error("it was answered"),
    (cause: unknown) => cause,
  );
  if (!(error instanceof LndFailure)) throw error;
  return error;
}

describe("LND's client", () => {
  let node: SimulatedLnd;
  let lnd: LndClient;
  const clients: LndClient[] = [];
  function client(macaroon: MacaroonName = "admin", times = {}): LndClient {
    const made = makeLndClient(lndSettingsOf(node.grpc, macaroon), { ...TEST_LND_TIMES, ...times });
    clients.push(made);
    return made;
  }

  beforeEach(async () => {
    node = await SimulatedLnd.start();
    lnd = client();
  });
  afterEach(async () => {
    for (const each of clients.splice(0)) each.close();
    await node.stop();
  });

  describe("adds an invoice", () => {
    it("with hints to private channels only on request", async () => {
      const hints = async (privateRouteHints: boolean): Promise<number> =>
        decodeBolt11((await lnd.addInvoice(request({ privateRouteHints }))).bolt11).routeHints.length;
      expect(await hints(false)).to.equal(0);
      expect(await hints(true)).to.be.above(0);
    });

    it("once: a second call returns the existing one, in any state", async () => {
      const open = request();
      const first = await lnd.addInvoice(open);
      expect(await lnd.addInvoice({ ...open, amountSats: 9n })).to.deep.equal(first);
      await node.pay(first.bolt11);
      expect(await lnd.addInvoice(open)).to.include({ state: "settled", bolt11: first.bolt11 });
      const canceled = request();
      await lnd.cancelInvoice((await lnd.addInvoice(canceled)).paymentHash);
      expect(await lnd.addInvoice(canceled)).to.include({ state: "canceled" });
    });

    it("whose answer was lost by the deadline, and finds it at the next call", async () => {
      const slow = client("admin", { addInvoice: 150 });
      const asked = request();
      node.faults.lateMs = { AddInvoice: 1_000 };
      expect(await refusalOf(slow.addInvoice(asked))).to.include({ meaning: "late", fault: "away" });
      node.faults.lateMs = {};
      expect(await lnd.addInvoice(asked)).to.include({
        paymentHash: sha256(asked.preimage),
        state: "open",
      });
    });

    it("and fails when LND says that there is one but shows none", async () => {
      node.faults.refuse = { AddInvoice: "invoice with payment hash already exists" };
      expect((await refusalOf(lnd.addInvoice(request()))).meaning).to.equal("malformed");
    });

    it("and fails on another error of LND", async () => {
      node.faults.refuse = { AddInvoice: "memo too large for the host lnd.internal:10009" };
      const failure = await refusalOf(lnd.addInvoice(request()));
      expect(failure.fault).to.equal("malformed");
      expect(failure.message).not.to.contain("internal");
    });
  });

  describe("looks an invoice up", () => {
    it("that is being paid, which has not arrived yet", async () => {
      const { bolt11, paymentHash } = await lnd.addInvoice(request());
      node.hold(bolt11);
      expect(await lnd.lookUpInvoice(paymentHash)).to.include({
        state: "accepted",
        amountPaidMsat: 0n,
        settledAt: null,
        settleIndex: 0n,
      });
    });
  });

  it("cancels open invoices idempotently, and reports why it cannot", async () => {
    const { paymentHash } = await lnd.addInvoice(request());
    expect(await lnd.cancelInvoice(paymentHash)).to.equal("canceled");
    expect(await lnd.cancelInvoice(paymentHash)).to.equal("canceled");
    expect(await lnd.cancelInvoice(UNKNOWN)).to.equal("unknown");
    const paid = await lnd.addInvoice(request());
    await node.pay(paid.bolt11);
    expect(await lnd.cancelInvoice(paid.paymentHash)).to.equal("settled");
    node.faults.refuse = { CancelInvoice: "invoice already accepted" };
    expect(await lnd.cancelInvoice(paid.paymentHash)).to.equal("accepted");
    node.faults.refuse = { CancelInvoice: "permission denied" };
    expect((await refusalOf(lnd.cancelInvoice(paid.paymentHash))).fault).to.equal("forbidden");
  });

  it("reports what active channels can receive, less the other side's reserve", async () => {
    expect(await lnd.receivableSats()).to.equal(await node.receivableSats());
    node.limitReceivable(7_000n);
    expect(await lnd.receivableSats()).to.equal(7_000n);
    node.limitReceivable(-1n);
    expect(await lnd.receivableSats()).to.equal(0n);
  });

  describe("reports of the node", () => {
    it("all, with all rights", async () => {
      const info = { nodeKey: node.nodeKey, network: "regtest", synchronized: true };
      const facts = { ...info, receivableSats: await node.receivableSats(), missingRights: [] };
      expect(await lnd.info()).to.deep.equal(info);
      expect(await lnd.facts()).to.deep.equal(facts);
      const { version, ...rest } = await lnd.inspect();
      expect(rest).to.deep.equal(facts);
      expect(version).to.match(/^\d+\.\d+\./);
      node.faults.unsynchronized = true;
      expect((await lnd.info()).synchronized).to.equal(false);
    });

    it("what LND's stock invoice.macaroon shows", async () => {
      const stock = client("invoice");
      const info = { nodeKey: null, network: null, synchronized: null };
      const facts = { ...info, receivableSats: null, missingRights: ["info:read", "offchain:read"] };
      expect(await stock.info()).to.deep.equal(info);
      expect(await stock.facts()).to.deep.equal(facts);
      expect(await stock.inspect()).to.deep.equal({ ...facts, version: null });
      expect(await stock.receivableSats()).to.equal(null);
      // A BOLT11's payee may be another node, which was at this address before.
      await stock.addInvoice(request());
      expect((await stock.info()).nodeKey).to.equal(null);
    });

    it("each right that is missing, invoices' too", async () => {
      node.faults.refuse = Object.fromEntries(
        ["LookupInvoice", "CancelInvoice", "GetInfo", "ListChannels"].map((method) => [
          method,
          "permission denied",
        ]),
      );
      expect((await lnd.inspect()).missingRights).to.deep.equal([
        "invoices:read",
        "invoices:write",
        "info:read",
        "offchain:read",
      ]);
      expect((await refusalOf(lnd.lookUpInvoice(UNKNOWN))).message).to.contain("invoices:read");
    });

    it("nothing with a macaroon of another node: that is no missing right", async () => {
      const wrong = makeLndClient({ ...lndSettingsOf(node.grpc), macaroon: { hex: "00".repeat(64) } });
      clients.push(wrong);
      expect(await wrong.state()).to.equal("active");
      for (const call of [wrong.info(), wrong.facts(), wrong.inspect(), wrong.receivableSats()])
        expect(await refusalOf(call)).to.include({ meaning: "macaroon-refused", fault: "forbidden" });
    });
  });

  it("distinguishes locked from starting and from active, and each call by the fault", async () => {
    for (const [state, expected] of [
      ["LOCKED", "locked"],
      ["NON_EXISTING", "locked"],
      ["UNLOCKED", "starting"],
      ["WAITING_TO_START", "starting"],
    ] as const) {
      node.setState(state);
      expect(await lnd.state(), state).to.equal(expected);
      for (const call of [lnd.info(), lnd.addInvoice(request()), lnd.lookUpInvoice(UNKNOWN)])
        expect((await refusalOf(call)).fault, state).to.equal(expected);
    }
    node.setState("RPC_ACTIVE");
    expect(await lnd.state()).to.equal("starting");
    await node.unlock();
    expect(await lnd.state()).to.equal("active");
  });

  describe("subscribes to settled invoices", () => {
    async function settle(count: number): Promise<string[]> {
      const hashes: string[] = [];
      for (let index = 0; index < count; index += 1) {
        const { bolt11, paymentHash } = await lnd.addInvoice(request());
        await node.pay(bolt11);
        hashes.push(paymentHash);
      }
      return hashes;
    }

    it("from an index: the backlog, then what settles live, once each", async () => {
      const [, second, third] = await settle(3);
      const told: NodeInvoice[] = [];
      const stop = new AbortController();
      const watching = lnd.subscribeSettled(1n, async (invoice) => void told.push(invoice), stop.signal);
      await eventually(() => expect(told).to.have.length(2));
      const [fourth] = await settle(1);
      await eventually(() => expect(told).to.have.length(3));
      expect(told.map(({ paymentHash }) => paymentHash)).to.deep.equal([second, third, fourth]);
      expect(told.map(({ settleIndex }) => settleIndex)).to.deep.equal([2n, 3n, 4n]);
      stop.abort();
      await watching;
    });

    it("from 0: no backlog", async () => {
      await settle(2);
      const told: NodeInvoice[] = [];
      const stop = new AbortController();
      const watching = lnd.subscribeSettled(0n, async (invoice) => void told.push(invoice), stop.signal);
      // LND does not say when it has begun.
      await eventually(async () => {
        await settle(1);
        expect(told).not.to.deep.equal([]);
      });
      expect(told.every(({ settleIndex }) => settleIndex > 2n)).to.equal(true);
      stop.abort();
      await watching;
    });

    it("until the wallet is locked or the macaroon lacks the right", async () => {
      const watching = refusalOf(
        lnd.subscribeSettled(0n, async () => undefined, new AbortController().signal),
      );
      await lnd.info();
      await node.lock();
      expect(["away", "locked"]).to.include((await watching).fault);
      const again = lnd.subscribeSettled(0n, async () => undefined, new AbortController().signal);
      expect((await refusalOf(again)).fault).to.equal("locked");
      await node.unlock();
      node.faults.refuse = { SubscribeInvoices: "permission denied" };
      const forbidden = lnd.subscribeSettled(0n, async () => undefined, new AbortController().signal);
      expect((await refusalOf(forbidden)).fault).to.equal("forbidden");
    });
  });
});
