import { randomBytes, X509Certificate } from "node:crypto";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { LndClient } from "../../../adapters/lnd/client";
import type { LndTimes } from "../../../adapters/lnd/connection";
import { makeLndClient } from "../../../adapters/lnd/lnd-client";
import type { NodeInvoice } from "../../../commands/ports";
import { decodeBolt11 } from "../../../domain/lightning/decode-bolt11";
import { PaymentFailure } from "../../../scripts/devnet/lightning/lnd-core";
import { SimulatedLnd, type SimulatedLndOptions } from "../../support/devnet/simulated-lnd";
import { eventually } from "../../support/eventually";
import { lndSettingsOf, TEST_LND_TIMES } from "../../support/lightning";
import { RawLnd, type RawStream } from "../../support/raw-lnd";

async function failureOf(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => {
      throw new Error("it did not fail");
    },
    (error: unknown) => error as Error,
  );
}

describe("the simulated LND", () => {
  const closers: (() => unknown)[] = [];
  const dirs: string[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
    for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
  });
  const start = async (options?: SimulatedLndOptions): Promise<SimulatedLnd> => {
    const node = await SimulatedLnd.start(options);
    closers.push(() => node.stop());
    return node;
  };
  const newDir = (): string => {
    const dir = mkdtempSync(path.join(os.tmpdir(), "quittance-devnet-"));
    dirs.push(dir);
    return dir;
  };
  const connect = (node: SimulatedLnd, times: Partial<LndTimes> = {}): LndClient => {
    const client = makeLndClient(lndSettingsOf(node.grpc), { ...TEST_LND_TIMES, ...times });
    closers.push(() => client.close());
    return client;
  };
  const connectRaw = (node: SimulatedLnd): RawLnd => {
    const raw = new RawLnd(node.grpc, node.grpc.adminMacaroon);
    closers.push(() => raw.close());
    return raw;
  };
  const add = (client: LndClient, amountSats = 1_000n, expiresInSeconds = 600): Promise<NodeInvoice> =>
    client.addInvoice({
      preimage: randomBytes(32),
      amountSats,
      description: "a book",
      expiresInSeconds,
      privateRouteHints: false,
    });
  const stateOf = async (client: LndClient, { paymentHash }: NodeInvoice): Promise<string | undefined> =>
    (await client.lookUpInvoice(paymentHash))?.state;
  const settleIndexes = (stream: RawStream): number[] =>
    stream.messages
      .filter(({ state }) => state === "SETTLED")
      .map(({ settle_index }) => Number(settle_index));
  const subscribe = (node: SimulatedLnd, settleIndex: number): RawStream =>
    connectRaw(node).stream("lnrpc.Lightning", "SubscribeInvoices", { settle_index: String(settleIndex) });

  it("has a certificate that LND could have made", async () => {
    const node = await start();
    const certificate = new X509Certificate(node.grpc.tlsCert);
    expect(certificate.ca).to.equal(true);
    expect(certificate.verify(certificate.publicKey)).to.equal(true);
    expect(certificate.checkHost("localhost")).to.equal("localhost");
    expect(certificate.checkIP("127.0.0.1")).to.equal("127.0.0.1");
    expect(new Date(certificate.validTo).getTime()).to.be.above(Date.now() + 365 * 86_400_000);
  });

  it("is the same node when it starts again from its folder", async () => {
    const dataDir = newDir();
    const first = await start({ dataDir });
    const client = connect(first);
    const paid = await add(client);
    await first.pay(paid.bolt11);
    const open = await add(client);
    const canceled = await add(client);
    await client.cancelInvoice(canceled.paymentHash);
    const { nodeKey, grpc } = first;
    await first.stop();
    // The process died while it wrote a line.
    appendFileSync(path.join(dataDir, "invoices.jsonl"), '{"paymentHash":"00');

    const second = await start({ dataDir });
    expect(second.nodeKey).to.equal(nodeKey);
    expect(second.grpc).to.deep.equal({ ...grpc, url: second.grpc.url });
    expect(readFileSync(path.join(dataDir, "tls.cert"), "utf8")).to.equal(grpc.tlsCert);
    expect(readFileSync(path.join(dataDir, "admin.macaroon"))).to.deep.equal(grpc.adminMacaroon);
    expect(readFileSync(path.join(dataDir, "invoice.macaroon"))).to.deep.equal(grpc.invoiceMacaroon);
    const again = connect(second);
    expect(await again.lookUpInvoice(paid.paymentHash)).to.include({ state: "settled", settleIndex: 1n });
    expect(await stateOf(again, canceled)).to.equal("canceled");
    await second.pay(open.bolt11);
    expect(await again.lookUpInvoice(open.paymentHash)).to.include({ state: "settled", settleIndex: 2n });
    expect((await add(again)).state).to.equal("open");
  });

  it("keeps a new certificate in its folder", async () => {
    const dataDir = newDir();
    const node = await start({ dataDir });
    const { tlsCert } = node.grpc;
    await node.restart({ newCertificate: true });
    expect(node.grpc.tlsCert).to.not.equal(tlsCert);
    expect(readFileSync(path.join(dataDir, "tls.cert"), "utf8")).to.equal(node.grpc.tlsCert);
  });

  it("cancels what expires by its own clock", async () => {
    const node = await start();
    const client = connect(node);
    const invoice = await add(client);
    node.advanceClock(599);
    expect(await stateOf(client, invoice)).to.equal("open");
    node.advanceClock(1);
    expect((await failureOf(node.pay(invoice.bolt11))).message).to.include("the invoice is CANCELED");
    expect(await stateOf(client, invoice)).to.equal("canceled");
  });

  it("receives no more than its channel's capacity", async () => {
    const node = await start();
    const client = connect(node);
    node.limitReceivable(1_500n);
    expect(await client.receivableSats()).to.equal(1_500n);
    const fits = await add(client, 1_500n);
    const tooLarge = await add(client, 1_501n);
    expect(await failureOf(node.pay(tooLarge.bolt11)))
      .to.be.instanceOf(PaymentFailure)
      .with.property("message")
      .that.includes("temporary_channel_failure");
    await node.pay(fits.bolt11);
    expect(await client.receivableSats()).to.equal(0n);
    expect(await node.receivableSats()).to.equal(0n);
    expect(await stateOf(client, tooLarge)).to.equal("open");
  });

  it("has a customer who pays this node only, and not more than twice", async () => {
    const [node, other] = [await start(), await start()];
    const foreign = await add(connect(other));
    expect((await failureOf(node.pay(foreign.bolt11))).message).to.include("the payee is another node");
    const invoice = await add(connect(node));
    expect((await failureOf(node.pay(invoice.bolt11, { amountMsat: 2_000_001n }))).message).to.include(
      "twice",
    );
    await node.pay(invoice.bolt11, { amountMsat: 2_000_000n });
  });

  it("holds a payment until it is settled or canceled", async () => {
    const node = await start();
    const client = connect(node);
    const [one, two] = [await add(client), await add(client)];
    node.hold(one.bolt11);
    node.hold(two.bolt11);
    expect(await client.lookUpInvoice(one.paymentHash)).to.include({ state: "accepted", amountPaidMsat: 0n });
    node.settleHeld(one.bolt11);
    expect(await stateOf(client, one)).to.equal("settled");
    expect(await client.cancelInvoice(two.paymentHash)).to.equal("canceled");
    expect(() => node.settleHeld(two.bolt11)).to.throw("nothing is held");
  });

  it("can skip a settle index, send its backlog in the wrong order, and withhold a settlement", async () => {
    const node = await start();
    const client = connect(node);
    const payOne = async (): Promise<void> => void (await node.pay((await add(client)).bolt11));
    await payOne();
    node.skipSettleIndex();
    await payOne();
    await payOne();
    const straight = subscribe(node, 1);
    await eventually(() => expect(settleIndexes(straight)).to.deep.equal([3, 4]));
    node.faults.reverseBacklog = true;
    const reversed = subscribe(node, 1);
    await eventually(() => expect(settleIndexes(reversed)).to.deep.equal([4, 3]));
    node.faults.muteStreams = true;
    await payOne();
    node.faults.muteStreams = false;
    await payOne();
    await eventually(() => expect(settleIndexes(straight)).to.deep.equal([3, 4, 6]));
  });

  it("can act and answer late, or refuse a method", async () => {
    const node = await start();
    const impatient = connect(node, { addInvoice: 200 });
    const client = connect(node, { addInvoice: 10_000, call: 10_000 });
    node.faults.lateMs["AddInvoice"] = 400;
    const preimage = randomBytes(32);
    const request = {
      preimage,
      amountSats: 1n,
      description: "",
      expiresInSeconds: 60,
      privateRouteHints: false,
    };
    expect(await failureOf(impatient.addInvoice(request))).to.include({ fault: "away" });
    node.faults.lateMs = {};
    const adopted = await client.addInvoice(request);
    expect(adopted.preimage).to.equal(preimage.toString("hex"));
    node.faults.refuse["LookupInvoice"] = "no sense";
    expect(await failureOf(client.lookUpInvoice(adopted.paymentHash))).to.include({ fault: "malformed" });
  });

  it("can be half open: connections stay, and nothing comes", async () => {
    const node = await start();
    const client = connect(node, { call: 300 });
    const stream = subscribe(node, 0);
    await eventually(async () => {
      await node.pay((await add(client)).bolt11);
      expect(settleIndexes(stream)).to.have.length.above(0);
    });
    const invoice = await add(client);
    node.freeze();
    await node.pay(invoice.bolt11);
    expect(await failureOf(client.lookUpInvoice(invoice.paymentHash))).to.include({ fault: "away" });
    expect(await failureOf(client.lookUpInvoice(invoice.paymentHash)), "on a new connection").to.include({
      fault: "away",
    });
    expect(stream.ended).to.equal(null);
    const heard = stream.messages.filter(
      ({ r_hash }) => (r_hash as Buffer).toString("hex") === invoice.paymentHash,
    );
    expect(heard.map(({ state }) => state)).to.not.include("SETTLED");
    node.thaw();
    await eventually(async () => expect(await stateOf(client, invoice)).to.equal("settled"));
  });

  it("can close its connections", async () => {
    const node = await start();
    const client = connect(node);
    const stream = subscribe(node, 0);
    const invoice = await add(client);
    await eventually(async () => {
      await add(client);
      expect(stream.messages).to.have.length.above(0);
    });
    node.dropConnections();
    await eventually(() => expect(stream.ended?.code).to.be.oneOf(["UNAVAILABLE", "CANCELLED", "INTERNAL"]));
    await eventually(async () => expect(await stateOf(client, invoice)).to.equal("open"));
  });

  it("reports each state, and accepts calls in none but the last two", async () => {
    const node = await start();
    const client = connect(node);
    const raw = connectRaw(node);
    const states = raw.stream("lnrpc.State", "SubscribeState");
    await eventually(() => expect(states.messages).to.deep.equal([{ state: "SERVER_ACTIVE" }]));
    const told: string[] = ["SERVER_ACTIVE"];
    for (const [state, words] of [
      ["WAITING_TO_START", "waiting to start"],
      ["NON_EXISTING", "wallet not created"],
      ["LOCKED", "wallet locked"],
      ["UNLOCKED", "in the process of starting up"],
    ] as const) {
      node.setState(state);
      told.push(state);
      expect((await raw.refusal("lnrpc.Lightning", "GetInfo")).details).to.include(words);
      await eventually(() => expect(states.messages.map((message) => message["state"])).to.deep.equal(told));
    }
    node.setState("RPC_ACTIVE");
    expect((await client.info()).nodeKey).to.equal(node.nodeKey);
    node.setState("LOCKED");
    expect((await failureOf(node.pay((await start().then((other) => add(connect(other)))).bolt11))).message) //
      .to.include("another node");
  });

  it("names its channel when hints to private ones are requested", async () => {
    const node = await start();
    const { bolt11 } = await connect(node).addInvoice({
      preimage: randomBytes(32),
      amountSats: 1n,
      description: "",
      expiresInSeconds: 60,
      privateRouteHints: true,
    });
    expect(decodeBolt11(bolt11).routeHints).to.have.length(1);
    expect(decodeBolt11((await add(connect(node))).bolt11).routeHints).to.deep.equal([]);
  });
});
