import { createServer as createTcpServer, type AddressInfo } from "node:net";
import https from "node:https";
import { readFileSync } from "node:fs";
import path from "node:path";
import { once } from "node:events";
import { status } from "@grpc/grpc-js";
import { expect } from "chai";
import { makeDialer } from "../../../adapters/lnd/dial";
import { makeVisitNode } from "../../../adapters/lnd/visit";
import { type CheckStep, checkNode } from "../../../commands/lightning/check-node";
import { CHECK_STEPS } from "../../../commands/lightning/check-steps";
import type { ReadAccess } from "../../../domain/lightning/node-access";
import { makeCertificate, type Certificate } from "../../../scripts/devnet/lightning/certificate";
import { makeMacaroon } from "../../../scripts/devnet/lightning/rights";
import { SimulatedLnd } from "../../support/devnet/simulated-lnd";
import { refusal, ScriptedLnd } from "../../adapters/lnd/scripted-lnd";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";

const tls = (name: string): string => readFileSync(path.join(__dirname, "../../support/tls", name), "utf8");

describe("the check of a store's node", () => {
  let ctx: TestContext;
  let node: SimulatedLnd;
  const stops: (() => void)[] = [];

  before(async () => {
    ctx = await testContext({ db: await testDatabase() });
  });
  after(async () => {
    await ctx.db.destroy();
  });
  beforeEach(async () => {
    node = await SimulatedLnd.start();
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) stop();
    await node.stop();
  });

  const access = (changes: Partial<ReadAccess> = {}): ReadAccess => ({
    address: node.grpc.url,
    certificate: node.grpc.tlsCert,
    macaroon: node.grpc.quittanceMacaroon.toString("hex"),
    ...changes,
  });
  async function stepsOf(given: ReadAccess, by = ctx): Promise<{ steps: CheckStep[]; node: unknown }> {
    const steps: CheckStep[] = [];
    const check = checkNode(by, given);
    for (;;) {
      const { value, done } = await check.next();
      if (done) return { steps, node: value };
      steps.push(value);
    }
  }
  /** Its last step, which failed. */
  async function failureOf(given: ReadAccess, by = ctx): Promise<CheckStep> {
    const { steps, node: learnt } = await stepsOf(given, by);
    const last = steps.at(-1);
    if (last?.outcome !== "failed" || learnt !== null) throw new Error(`it passed: ${JSON.stringify(steps)}`);
    expect(steps.slice(0, -1).every(({ outcome }) => outcome !== "failed")).to.equal(true);
    return last;
  }
  const asOwner = (): TestContext => ({ ...ctx, actor: { kind: "user", id: "usr_of_a_store" } });
  async function scripted(certificate: Certificate, script = {}): Promise<ReadAccess> {
    const lnd = await ScriptedLnd.start(certificate, {
      "lnrpc.State/GetState": () => ({ state: "SERVER_ACTIVE" }),
      ...script,
    });
    stops.push(() => lnd.stop());
    return access({ address: `127.0.0.1:${lnd.port}`, certificate: certificate.cert });
  }

  it("passes every step, makes and cancels a BOLT11 of one sat, and learns the node's key", async () => {
    const { steps, node: learnt } = await stepsOf(access());
    expect(steps.map(({ step, outcome }) => [step, outcome])).to.deep.equal(
      CHECK_STEPS.map((step) => [step, "passed"]),
    );
    const receivableSats = await node.receivableSats();
    expect(learnt).to.deep.equal({ nodeKey: node.nodeKey, network: "regtest", receivableSats });
  });

  it("passes with LND's own invoice.macaroon, and warns of what that hides", async () => {
    const { steps, node: learnt } = await stepsOf(
      access({ macaroon: node.grpc.invoiceMacaroon.toString("hex") }),
    );
    const warned = steps.filter(({ outcome }) => outcome === "warning").map(({ step }) => step);
    expect(warned).to.deep.equal(["rights", "synced", "receivable"]);
    expect(learnt).to.include({ nodeKey: node.nodeKey });
  });

  it("only warns of a node that can receive nothing", async () => {
    node.limitReceivable(0n);
    const { steps } = await stepsOf(access());
    expect(steps.find(({ step }) => step === "receivable")).to.include({ outcome: "warning" });
    expect(steps.at(-1)).to.include({ step: "bolt11", outcome: "passed" });
  });

  it("sends nothing with a macaroon that can spend", async () => {
    let connections = 0;
    const server = createTcpServer(() => (connections += 1)).listen(0, "127.0.0.1");
    stops.push(() => server.close());
    await once(server, "listening");
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const macaroon = node.grpc.adminMacaroon.toString("hex");
    const { step, message } = await failureOf(access({ address, macaroon }));
    expect(step).to.equal("macaroon");
    expect(message).to.include("offchain:write").and.to.include("lncli bakemacaroon");
    expect(connections).to.equal(0);
  });

  it("fails for a macaroon that LND refuses", async () => {
    const macaroon = makeMacaroon(["invoices:read", "invoices:write", "info:read"]).toString("hex");
    const { step, message } = await failureOf(access({ macaroon }));
    expect(step).to.equal("rights");
    expect(message).to.include("belongs to another node").and.to.include("lncli bakemacaroon");
  });

  it("fails for a macaroon whose caveats take a right away, and names it", async () => {
    node.faults.refuse["CancelInvoice"] = "permission denied";
    expect(await failureOf(access())).to.deep.include({ step: "rights" });
    expect((await failureOf(access())).message).to.include("invoices:write");
  });

  it("fails for a name that does not resolve", async () => {
    const { step, message } = await failureOf(access({ address: "nowhere.invalid:10009" }));
    expect(step).to.equal("name");
    expect(message).to.include("does not resolve").and.to.include("spelling");
  });

  it("fails for an address in a network that is not allowed, by the resolved address, before it connects", async () => {
    const resolve = (): Promise<string[]> => Promise.resolve(["203.0.113.9", "10.0.0.7"]);
    const visitNode = makeVisitNode(makeDialer({ allowedCidrs: [], torProxy: null, resolve }));
    for (const address of ["node.example.com:10009", "127.0.0.1:10009", "[::ffff:169.254.169.254]:80"]) {
      const { step, message } = await failureOf(access({ address }), { ...ctx, visitNode });
      expect(step, address).to.equal("name");
      expect(message).to.include("LIGHTNING_ALLOWED_CIDRS").and.not.to.include("spelling");
    }
  });

  it("says that an onion address needs TOR_PROXY", async () => {
    const { step, message } = await failureOf(access({ address: "abcdefghij.onion:10009" }));
    expect(step).to.equal("name");
    expect(message).to.include("TOR_PROXY").and.not.to.include("spelling");
  });

  it("fails where nothing listens", async () => {
    const { step, message } = await failureOf(access({ address: "127.0.0.1:1" }));
    expect(step).to.equal("reachable");
    expect(message).to.include("usually has 10009");
  });

  it("fails for another certificate, and says which names and dates the node's has", async () => {
    const { cert } = await makeCertificate();
    const { step, message } = await failureOf(access({ certificate: cert }));
    expect(step).to.equal("certificate");
    expect(message).to.match(/DNS:localhost, IP Address:127\.0\.0\.1, valid from \d{4}-\d\d-\d\d to \d{4}/);
    const byAuthority = await failureOf(access({ certificate: null }));
    expect(byAuthority.message).to.include("No authority that this server trusts");
  });

  it("fails for an expired certificate, and for one that does not match the host", async () => {
    const expired = { cert: tls("expired.crt"), key: tls("expired.key") };
    expect((await failureOf(await scripted(expired))).message).to.include("has expired");
    const other = { cert: tls("other-host.crt"), key: tls("other-host.key") };
    const given = { ...(await scripted(other)), certificate: tls("ca.crt") };
    expect((await failureOf(given)).message).to.include("does not match the host 127.0.0.1");
  });

  it("recognises LND's REST port by its answer", async () => {
    const certificate = await makeCertificate();
    const rest = https.createServer(certificate, (_, response) => response.writeHead(404).end("{}"));
    rest.listen(0, "127.0.0.1");
    stops.push(() => rest.close());
    await once(rest, "listening");
    const address = `127.0.0.1:${(rest.address() as AddressInfo).port}`;
    const { message } = await failureOf(access({ address, certificate: certificate.cert }));
    expect(message).to.include("REST port");
  });

  it("fails for a locked LND, and for one that is starting", async () => {
    await node.lock();
    const { step, message } = await failureOf(access());
    expect(step).to.equal("unlocked");
    expect(message).to.include("lncli unlock");
    const starting = await scripted(await makeCertificate(), {
      "lnrpc.State/GetState": () => ({ state: "RPC_ACTIVE" }),
    });
    expect((await failureOf(starting)).message).to.include("still starting");
  });

  it("fails for a node of another network", async () => {
    const settings = { ...ctx.settings, network: "mainnet" as const };
    const { step, message } = await failureOf(access(), { ...ctx, settings });
    expect(step).to.equal("network");
    expect(message).to.include("on the network regtest").and.to.include("mainnet");
    const hiding = await failureOf(access({ macaroon: node.grpc.invoiceMacaroon.toString("hex") }), {
      ...ctx,
      settings,
    });
    expect(hiding.step).to.equal("bolt11");
    expect(hiding.message).to.match(/BOLT11 of regtest.* on mainnet: connect a node of mainnet\.$/);
  });

  it("fails for an LND older than 0.15", async () => {
    const info = {
      identity_pubkey: node.nodeKey,
      version: "0.14.3-beta",
      synced_to_chain: true,
      chains: [{ network: "regtest" }],
    };
    const unknown = (): never => {
      throw refusal("unable to locate invoice");
    };
    const old = await scripted(await makeCertificate(), {
      "lnrpc.Lightning/GetInfo": () => info,
      "lnrpc.Lightning/ListChannels": () => ({}),
      "lnrpc.Lightning/LookupInvoice": unknown,
      "invoicesrpc.Invoices/CancelInvoice": unknown,
    });
    const { step, message } = await failureOf(old);
    expect(step).to.equal("rights");
    expect(message).to.include("0.15 or newer");
  });

  it("fails for a node that is not synced", async () => {
    node.faults.unsynchronized = true;
    expect((await failureOf(access())).step).to.equal("synced");
  });

  it("never repeats the node's own words, and takes no large answer", async () => {
    const secret = "host db.internal says no";
    const hostile = await scripted(await makeCertificate(), {
      "lnrpc.Lightning/GetInfo": () => {
        throw refusal(secret, status.INTERNAL);
      },
    });
    expect(JSON.stringify(await stepsOf(hostile))).not.to.include("db.internal");
    const flooding = await scripted(await makeCertificate(), {
      "lnrpc.Lightning/GetInfo": () => ({
        identity_pubkey: "02".repeat(33),
        version: "x".repeat(9 * 1024 * 1024),
      }),
    });
    expect((await failureOf(flooding)).step).to.equal("rights");
  });

  it("shows an owner nothing about ports of the operator's network", async function () {
    this.timeout(60_000);
    const http = createTcpServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")).listen(
      0,
      "127.0.0.1",
    );
    stops.push(() => http.close());
    await once(http, "listening");
    const open = `127.0.0.1:${(http.address() as AddressInfo).port}`;
    const found = await Promise.all(
      ["127.0.0.1:1", open].map(async (address) => {
        const began = performance.now();
        const { steps } = await stepsOf(access({ address }), asOwner());
        return { steps, ms: performance.now() - began };
      }),
    );
    expect(found[0]?.steps).to.deep.equal(found[1]?.steps);
    expect(found[0]?.steps.map(({ step }) => step)).to.deep.equal(["macaroon", "name", "reachable"]);
    const { message } = found[0]?.steps.at(-1) ?? {};
    for (const cause of [/REST's \(8080\)/, /10009/, /certificate another node's or left out/, /firewall/])
      expect(message).to.match(cause);
    for (const { ms } of found) expect(ms).to.be.above(15_900);
    expect((await stepsOf(access(), asOwner())).steps).to.have.length(CHECK_STEPS.length);
    expect((await failureOf(access({ address: open }))).message).to.include("speaks no TLS");
  });
});
