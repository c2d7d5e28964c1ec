import { expect } from "chai";
import { makeCertificate } from "../../scripts/devnet/lightning/certificate";
import { SimulatedLnd } from "../support/devnet/simulated-lnd";
import type { Check } from "../../scripts/cli/doctor/check";
import { examine } from "../../scripts/cli/doctor";
import { lndEnvironment } from "../support/lightning";

const NAMES = [
  "lightning",
  "lightning-rights",
  "lightning-network",
  "lightning-sync",
  "lightning-receivable",
];

/** The command itself, and its exit codes: test/scripts/doctor.test.ts. */
describe("doctor, of LND", () => {
  let node: SimulatedLnd;
  beforeEach(async () => {
    node = await SimulatedLnd.start();
  });
  afterEach(async () => node.stop());

  async function look(env: Record<string, string | undefined>): Promise<Record<string, Check>> {
    const { checks } = await examine({ NETWORK: "regtest", ...env });
    const found = checks.filter(({ name }) => name.startsWith("lightning"));
    expect(found.map(({ name }) => name)).to.deep.equal(NAMES);
    for (const { name, status, fix } of found)
      expect(fix !== null, `fix of ${name}`).to.equal(status === "failed" || status === "warning");
    return Object.fromEntries(found.map((check) => [check.name.replace(/^lightning-?/, "") || "lnd", check]));
  }
  const statuses = (found: Record<string, Check>): Record<string, string> =>
    Object.fromEntries(Object.entries(found).map(([name, { status }]) => [name, status]));
  const all = (status: string) => ({
    rights: status,
    network: status,
    sync: status,
    receivable: status,
  });

  it("passes a working node", async () => {
    const found = await look(lndEnvironment(node.grpc));
    expect(statuses(found)).to.deep.equal({ lnd: "ok", ...all("ok") });
    expect(found["lnd"]?.message).to.match(/^LND \d/);
    expect(found["receivable"]?.message).to.contain(String(await node.receivableSats()));
  });

  it("is off without a configured LND, and says so when its address is invalid", async () => {
    expect(statuses(await look({}))).to.deep.equal({ lnd: "off", ...all("off") });
    expect(statuses(await look({ LND_GRPC_URL: "https://lnd" }))).to.deep.equal({
      lnd: "unknown",
      ...all("unknown"),
    });
  });

  it("names the rights that LND's stock invoice.macaroon lacks, as a warning", async () => {
    const found = await look(lndEnvironment(node.grpc, "invoice"));
    expect(statuses(found)).to.deep.equal({ lnd: "ok", ...all("off"), rights: "warning" });
    expect(found["rights"]?.message).to.contain("info:read, offchain:read");
    expect(found["rights"]?.fix).to.contain("lncli bakemacaroon");
  });

  it("fails without a right that payments need", async () => {
    node.faults.refuse = { CancelInvoice: "permission denied" };
    const { rights } = await look(lndEnvironment(node.grpc));
    expect(rights?.status).to.equal("failed");
    expect(rights?.message).to.contain("invoices:write").and.not.contain("info:read");
  });

  it("fails for a macaroon that LND refuses, and does not repeat it", async () => {
    const macaroon = "5ec2e7".repeat(20);
    const found = await look({ ...lndEnvironment(node.grpc), LND_MACAROON_HEX: macaroon });
    expect(statuses(found)).to.deep.equal({ lnd: "ok", ...all("unknown"), rights: "failed" });
    expect(JSON.stringify(found)).not.to.contain(macaroon);
  });

  it("fails for another network, and while LND has not caught up", async () => {
    const elsewhere = await look({ ...lndEnvironment(node.grpc), NETWORK: "signet" });
    expect(elsewhere["network"]?.status).to.equal("failed");
    expect(elsewhere["network"]?.message).to.contain("regtest").and.contain("signet");
    node.faults.unsynchronized = true;
    expect((await look(lndEnvironment(node.grpc)))["sync"]?.status).to.equal("failed");
  });

  it("warns when the channels can receive nothing", async () => {
    node.limitReceivable(0n);
    expect(statuses(await look(lndEnvironment(node.grpc)))).to.deep.equal({
      lnd: "ok",
      ...all("ok"),
      receivable: "warning",
    });
  });

  it("fails, with what to do, for a locked wallet and while LND starts", async () => {
    await node.lock();
    const locked = await look(lndEnvironment(node.grpc));
    expect(statuses(locked)).to.deep.equal({ lnd: "failed", ...all("unknown") });
    expect(locked["lnd"]?.fix).to.contain("lncli unlock");
    node.setState("UNLOCKED");
    expect((await look(lndEnvironment(node.grpc)))["lnd"]?.message).to.contain("starting");
  });

  it("fails for another certificate, and for an invalid file", async () => {
    const { cert } = await makeCertificate();
    const env = lndEnvironment(node.grpc);
    const other = await look({ ...env, LND_TLS_CERT_HEX: Buffer.from(cert).toString("hex") });
    expect(statuses(other)).to.deep.equal({ lnd: "failed", ...all("unknown") });
    expect(other["lnd"]?.fix).to.contain("tls.cert");
    const missing = await look({ ...env, LND_TLS_CERT_HEX: undefined, LND_TLS_CERT_FILE: "/none/tls.cert" });
    expect(missing["lnd"]?.message).to.contain("ENOENT");
    const unreadable = await look({ ...env, LND_MACAROON_HEX: undefined, LND_MACAROON_FILE: "/none/mac" });
    expect(statuses(unreadable)).to.deep.equal({ lnd: "ok", ...all("unknown"), rights: "failed" });
  });

  it("fails when nothing listens", async () => {
    await node.stop();
    const found = await look(lndEnvironment(node.grpc));
    expect(statuses(found)).to.deep.equal({ lnd: "failed", ...all("unknown") });
    expect(found["lnd"]?.message).to.contain("ECONNREFUSED");
    expect(found["lnd"]?.fix).to.contain("rpclisten");
  });
});
