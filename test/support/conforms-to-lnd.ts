import { createHash, randomBytes } from "node:crypto";
import { expect } from "chai";
import type { LndClient } from "../../adapters/lnd/client";
import { makeLndClient } from "../../adapters/lnd/lnd-client";
import type { NodeInvoice } from "../../commands/ports";
import { decodeBolt11 } from "../../domain/lightning/decode-bolt11";
import type { LightningNode } from "./devnet/lightning-node";
import { eventually } from "./eventually";
import { lndSettingsOf, TEST_LND_TIMES, type MacaroonName } from "./lightning";
import { RawLnd } from "./raw-lnd";

const LIGHTNING = "lnrpc.Lightning";
const INVOICES = "invoicesrpc.Invoices";

const sha256 = (bytes: Buffer | string): string => createHash("sha256").update(bytes).digest("hex");
const bytesOf = (hex: string): Buffer => Buffer.from(hex, "hex");

/** What our service relies on in an LND: run against the simulated one and against a real one. */
export function conformsToLnd(startNode: () => Promise<LightningNode>): void {
  let node: LightningNode;
  let client: LndClient;
  let raw: RawLnd;

  const connect = (macaroon: MacaroonName = "admin"): LndClient =>
    makeLndClient(lndSettingsOf(node.grpc, macaroon), TEST_LND_TIMES);
  before(async function () {
    this.timeout(180_000);
    node = await startNode();
    client = connect();
    raw = new RawLnd(node.grpc, node.grpc.adminMacaroon);
  });
  after(async function () {
    this.timeout(60_000);
    client.close();
    raw.close();
    await node.stop();
  });

  interface Wanted {
    amountSats?: bigint;
    description?: string;
    expiresInSeconds?: number;
    preimage?: Buffer;
  }
  const add = (wanted: Wanted = {}): Promise<NodeInvoice> =>
    client.addInvoice({
      preimage: randomBytes(32),
      amountSats: 1_000n,
      description: "a book",
      expiresInSeconds: 600,
      privateRouteHints: false,
      ...wanted,
    });
  const lookUp = async (paymentHash: string): Promise<NodeInvoice> => {
    const invoice = await client.lookUpInvoice(paymentHash);
    if (invoice === null) throw new Error("LND does not know the invoice");
    return invoice;
  };
  /** Paid, as LND reports it. */
  const addAndPay = async (wanted: Wanted = {}): Promise<NodeInvoice> => {
    const { bolt11, paymentHash } = await add(wanted);
    await node.pay(bolt11);
    return lookUp(paymentHash);
  };
  const refusedPayment = async (bolt11: string, options?: { amountMsat: bigint }): Promise<void> => {
    const paid = await node.pay(bolt11, options).then(
      () => true,
      () => false,
    );
    expect(paid, "the payment went through").to.equal(false);
  };

  describe("its invoices", () => {
    it("are BOLT 11 texts of our hash, amount, time and description, signed by the node", async () => {
      const preimage = randomBytes(32);
      const { bolt11, ...invoice } = await add({ preimage, amountSats: 1_234n, expiresInSeconds: 900 });
      const decoded = decodeBolt11(bolt11);
      expect(decoded).to.include({
        network: "regtest",
        amountMsat: 1_234_000n,
        expirySeconds: 900,
        paymentHash: sha256(preimage),
        description: "a book",
        descriptionHash: null,
        payeeKey: node.nodeKey,
      });
      expect(Math.abs(decoded.timestampSeconds - Date.now() / 1_000)).to.be.below(30);
      expect(decoded.features).to.include.members([8, 14, 17]);
      expect(invoice).to.deep.equal({
        paymentHash: sha256(preimage),
        state: "open",
        amountPaidMsat: 0n,
        settledAt: null,
        settleIndex: 0n,
        preimage: preimage.toString("hex"),
      });
    });

    it("carry a description of up to 639 bytes, and the hash of a longer one", async () => {
      const fits = "ü".repeat(319) + "x";
      expect(decodeBolt11((await add({ description: fits })).bolt11).description).to.equal(fits);
      const long = "ü".repeat(320);
      const decoded = decodeBolt11((await add({ description: long })).bolt11);
      expect(decoded).to.include({ description: null, descriptionHash: sha256(long) });
    });

    it("are refused with a description that is too long", async () => {
      const value = { value: "1", r_preimage: randomBytes(32) };
      expect(await raw.refusal(LIGHTNING, "AddInvoice", { ...value, memo: "x".repeat(1_025) })).to.deep.equal(
        {
          code: "UNKNOWN",
          details: "memo too large: 1025 bytes (maxsize=1024)",
        },
      );
      expect(await raw.refusal(LIGHTNING, "AddInvoice", { ...value, memo: "x".repeat(640) })).to.deep.equal({
        code: "UNKNOWN",
        details: "data length too big to fit within 10 bits: 1024",
      });
    });

    it("are refused with a known payment hash, and ours are adopted", async () => {
      const preimage = randomBytes(32);
      const first = await add({ preimage });
      expect(
        await raw.refusal(LIGHTNING, "AddInvoice", { r_preimage: preimage, value: "1000" }),
      ).to.deep.equal({ code: "UNKNOWN", details: "invoice with payment hash already exists" });
      expect(await add({ preimage })).to.deep.equal(first);
    });

    it("are not found when there are none", async () => {
      const unknown = randomBytes(32);
      expect(await raw.refusal(LIGHTNING, "LookupInvoice", { r_hash: unknown })).to.deep.equal({
        code: "NOT_FOUND",
        details: "unable to locate invoice",
      });
      expect(await raw.refusal(INVOICES, "LookupInvoiceV2", { payment_hash: unknown })).to.deep.equal({
        code: "NOT_FOUND",
        details: "unable to locate invoice",
      });
      expect(await raw.refusal(INVOICES, "CancelInvoice", { payment_hash: unknown })).to.deep.equal({
        code: "UNKNOWN",
        details: "unable to locate invoice",
      });
      expect(await client.lookUpInvoice(unknown.toString("hex"))).to.equal(null);
      expect(await client.cancelInvoice(unknown.toString("hex"))).to.equal("unknown");
    });

    it("are canceled for good, and nobody can pay them then", async () => {
      const { bolt11, paymentHash } = await add();
      expect(await client.cancelInvoice(paymentHash)).to.equal("canceled");
      expect(await client.cancelInvoice(paymentHash)).to.equal("canceled");
      await refusedPayment(bolt11);
      expect(await lookUp(paymentHash)).to.include({
        state: "canceled",
        amountPaidMsat: 0n,
        settleIndex: 0n,
      });
    });

    it("are canceled by LND itself when their time is up", async () => {
      const { bolt11, paymentHash } = await add({ expiresInSeconds: 1 });
      await eventually(async () => expect((await lookUp(paymentHash)).state).to.equal("canceled"));
      await refusedPayment(bolt11);
      expect(await client.cancelInvoice(paymentHash)).to.equal("canceled");
    });
  });

  describe("a payment", () => {
    it("settles the invoice with our preimage, the amount, the time and the next index", async () => {
      const before = await addAndPay();
      const preimage = randomBytes(32);
      const { bolt11, paymentHash } = await add({ preimage, amountSats: 2_500n });
      expect(await node.pay(bolt11)).to.deep.equal({
        preimage: preimage.toString("hex"),
        amountMsat: 2_500_000n,
      });
      const settled = await lookUp(paymentHash);
      expect(settled).to.include({
        state: "settled",
        amountPaidMsat: 2_500_000n,
        settleIndex: before.settleIndex + 1n,
        preimage: preimage.toString("hex"),
      });
      expect(Math.abs((settled.settledAt?.getTime() ?? 0) - Date.now())).to.be.below(30_000);
    });

    it("of a settled invoice cannot be canceled, nor issued again", async () => {
      const { bolt11, paymentHash } = await addAndPay();
      expect(
        await raw.refusal(INVOICES, "CancelInvoice", { payment_hash: bytesOf(paymentHash) }),
      ).to.deep.equal({ code: "UNKNOWN", details: "invoice already settled" });
      expect(await client.cancelInvoice(paymentHash)).to.equal("settled");
      await refusedPayment(bolt11);
    });

    it("of more than the amount is accepted, to the millisatoshi", async () => {
      const { bolt11, paymentHash } = await add({ amountSats: 1_000n });
      await node.pay(bolt11, { amountMsat: 1_999_001n });
      expect(await lookUp(paymentHash)).to.include({ state: "settled", amountPaidMsat: 1_999_001n });
    });

    it("of less is refused, and the invoice stays open", async () => {
      const { bolt11, paymentHash } = await add({ amountSats: 1_000n });
      await refusedPayment(bolt11, { amountMsat: 999_999n });
      expect(await lookUp(paymentHash)).to.include({ state: "open", amountPaidMsat: 0n });
    });

    it("reduces the capacity, which the client reports as the node does", async () => {
      const before = await client.receivableSats();
      expect(before).to.equal(await node.receivableSats());
      await addAndPay({ amountSats: 50_000n });
      await eventually(async () => {
        const after = await client.receivableSats();
        expect(Number(before) - Number(after)).to.be.at.least(50_000);
      });
    });
  });

  describe("its stream of invoices", () => {
    const subscribe = (settleIndex: bigint) =>
      raw.stream(LIGHTNING, "SubscribeInvoices", { settle_index: String(settleIndex) });
    const hashesOf = (messages: readonly Record<string, unknown>[], state: string): string[] =>
      messages
        .filter((message) => message["state"] === state)
        .map((message) => (message["r_hash"] as Buffer).toString("hex"));

    it("has no past with index 0, and sends what is added and settles, but not what is canceled", async () => {
      const past = await addAndPay();
      const stream = subscribe(0n);
      try {
        await eventually(async () => {
          // Until it arrives: LND does not report when a subscription begins.
          const { paymentHash } = await addAndPay();
          expect(hashesOf(stream.messages, "SETTLED")).to.include(paymentHash);
        });
        const canceled = await add();
        await client.cancelInvoice(canceled.paymentHash);
        const last = await addAndPay();
        await eventually(() => expect(hashesOf(stream.messages, "SETTLED")).to.include(last.paymentHash));
        expect(hashesOf(stream.messages, "SETTLED")).to.not.include(past.paymentHash);
        expect(hashesOf(stream.messages, "OPEN")).to.include.members([
          canceled.paymentHash,
          last.paymentHash,
        ]);
        expect(hashesOf(stream.messages, "CANCELED")).to.deep.equal([]);
      } finally {
        stream.cancel();
      }
    });

    it("begins after the given index, and continues", async () => {
      const one = await addAndPay();
      const two = await addAndPay();
      const three = await addAndPay();
      const stream = subscribe(one.settleIndex);
      try {
        await eventually(() =>
          expect(hashesOf(stream.messages, "SETTLED")).to.deep.equal([two.paymentHash, three.paymentHash]),
        );
        const four = await addAndPay();
        await eventually(() =>
          expect(hashesOf(stream.messages, "SETTLED")).to.deep.equal([
            two.paymentHash,
            three.paymentHash,
            four.paymentHash,
          ]),
        );
      } finally {
        stream.cancel();
      }
    });
  });

  describe("its macaroons", () => {
    const refusedWith = async (macaroon: Buffer | null): Promise<object> => {
      const other = new RawLnd(node.grpc, macaroon);
      try {
        return await other.refusal(LIGHTNING, "GetInfo");
      } finally {
        other.close();
      }
    };

    it("show the node's key, network and state", async () => {
      expect(await client.state()).to.equal("active");
      // The payments before may be on their way through the channel.
      await eventually(async () =>
        expect(await client.facts()).to.deep.equal({
          nodeKey: node.nodeKey,
          network: "regtest",
          synchronized: true,
          receivableSats: await node.receivableSats(),
          missingRights: [],
        }),
      );
    });

    it("are required", async () => {
      expect(await refusedWith(null)).to.deep.equal({
        code: "UNKNOWN",
        details: "expected 1 macaroon, got 0",
      });
    });

    it("of another key are refused", async () => {
      const forged = Buffer.from(node.grpc.adminMacaroon);
      forged.writeUInt8(forged.readUInt8(forged.length - 1) ^ 1, forged.length - 1);
      expect(await refusedWith(forged)).to.deep.equal({
        code: "UNKNOWN",
        details: "verification failed: signature mismatch after caveat verification",
      });
    });

    it("for invoices only show neither the node nor its channels, and allow everything with invoices", async () => {
      expect(await refusedWith(node.grpc.invoiceMacaroon)).to.deep.equal({
        code: "UNKNOWN",
        details: "permission denied",
      });
      const small = connect("invoice");
      try {
        expect(await small.receivableSats()).to.equal(null);
        const { paymentHash } = await small.addInvoice({
          preimage: randomBytes(32),
          amountSats: 1n,
          description: "",
          expiresInSeconds: 60,
          privateRouteHints: true,
        });
        expect(await small.cancelInvoice(paymentHash)).to.equal("canceled");
        expect((await small.lookUpInvoice(paymentHash))?.state).to.equal("canceled");
        expect((await small.facts()).missingRights).to.have.members(["info:read", "offchain:read"]);
      } finally {
        small.close();
      }
    });
  });

  describe("its restarts", function () {
    this.timeout(120_000);

    it("leave its wallet locked until it is unlocked, which State reports and all else refuses", async () => {
      const { bolt11, paymentHash } = await add();
      await node.lock();
      await eventually(async () => expect(await client.state()).to.equal("locked"));
      const locked = new RawLnd(node.grpc, node.grpc.adminMacaroon);
      try {
        expect(
          await locked.refusal(LIGHTNING, "LookupInvoice", { r_hash: bytesOf(paymentHash) }),
        ).to.deep.equal({ code: "UNKNOWN", details: "wallet locked, unlock it to enable full RPC access" });
      } finally {
        locked.close();
      }
      await node.unlock();
      await eventually(async () => expect(await client.state()).to.equal("active"), 60_000);
      await node.pay(bolt11);
      expect((await lookUp(paymentHash)).state).to.equal("settled");
    });

    it("keep invoices, indexes and key, and end the streams", async () => {
      const settled = await addAndPay();
      const open = await add();
      const stream = raw.stream(LIGHTNING, "SubscribeInvoices", { settle_index: "1" });
      await eventually(() => expect(stream.messages).to.have.length.above(0));
      await node.restart();
      await eventually(() => expect(stream.ended).to.not.equal(null));
      await eventually(async () => expect(await client.state()).to.equal("active"), 60_000);
      expect(await lookUp(settled.paymentHash)).to.deep.equal(settled);
      expect(await lookUp(open.paymentHash)).to.deep.equal(open);
      expect((await client.info()).nodeKey).to.equal(node.nodeKey);
      expect((await addAndPay()).settleIndex).to.equal(settled.settleIndex + 1n);
    });

    it("with another certificate are refused by clients that know the old one only", async () => {
      const { tlsCert } = node.grpc;
      await node.restart({ newCertificate: true });
      expect(node.grpc.tlsCert).to.not.equal(tlsCert);
      const failure = await eventually(async () => {
        const error: unknown = await client.state().then(
          () => null,
          (reason: unknown) => reason,
        );
        expect(error).to.include({ fault: "forbidden" });
        return error;
      });
      expect(failure).to.be.instanceOf(Error);
      client.close();
      raw.close();
      client = connect();
      raw = new RawLnd(node.grpc, node.grpc.adminMacaroon);
      expect(await client.state()).to.equal("active");
    });
  });
}
