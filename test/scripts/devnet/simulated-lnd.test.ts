import { randomBytes, X509Certificate } from "node:crypto";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { LndClient } from "../../../adapters/lnd/client";
import type { LndTimes } from "../../../adapters/lnd/connection";
import { makeLndClient } from "../../../adapters/lnd/lnd-client";
import type { NodeInvoice } from "../../../commands/ports";
import { SimulatedLnd, type SimulatedLndOptions } from "../../support/devnet/simulated-lnd";
import { lndSettingsOf, TEST_LND_TIMES } from "../../support/lightning";

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
});
