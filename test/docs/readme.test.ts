import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { eventBody } from "../../domain/webhook/body";
import { signatureHeaders } from "../../domain/webhook/signature";
import { freePort } from "../../scripts/devnet/free-port";
import { eventually } from "../support/eventually";

const ROOT = path.join(__dirname, "../..");
const read = (name: string): string => readFileSync(path.join(ROOT, name), "utf8");
const README = read("README.md");

/** The fenced blocks of a language, without their fences. */
function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    ([, code = ""]) => code,
  );
}

describe("README.md", () => {
  it("has at most 120 lines, and one receiver of at most 32", () => {
    expect(README.trimEnd().split("\n").length).to.be.at.most(120);
    const [receiver = "", ...others] = blocks(README, "js");
    expect(receiver.trimEnd().split("\n").length).to.be.at.most(32);
    expect(others).to.deep.equal([]);
  });

  it("links the complete receivers", () => {
    for (const file of readdirSync(path.join(ROOT, "docs/receivers")))
      expect(README).to.include(`(docs/receivers/${file})`);
  });

  it("leads to a map that has every folder, and no other", () => {
    expect(README).to.include("(docs/architecture.md#folders)");
    const onMap = [...read("docs/architecture.md").matchAll(/^\| `(\w+)\/` \|/gm)].map(([, name]) => name);
    const made = ["node_modules", "dist"];
    const there = readdirSync(ROOT).filter(
      (name) =>
        !name.startsWith(".") && !made.includes(name) && statSync(path.join(ROOT, name)).isDirectory(),
    );
    expect(onMap).to.have.members(there);
  });

  it("names the Node version that package.json requires", () => {
    const { engines } = JSON.parse(read("package.json")) as { engines: { node: string } };
    expect(README).to.contain(`Node ${engines.node.replace(">=", "")} or newer`);
  });
});

describe("the receiver of README.md", () => {
  const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
  let child: ChildProcess | undefined;
  let port = 0;
  let output = "";

  before(async () => {
    port = await freePort();
    const receiver = spawn(
      process.execPath,
      ["--input-type=module", "--eval", blocks(README, "js")[0] ?? ""],
      { env: { ...process.env, WEBHOOK_SECRET: SECRET, PORT: String(port) } },
    );
    for (const stream of [receiver.stdout, receiver.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child = receiver;
    await eventually(async () => {
      await fetch(`http://127.0.0.1:${port}`);
    });
  });

  beforeEach(() => (output = ""));

  after(async () => {
    if (child === undefined) return;
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });

  interface Sent {
    eventId: string;
    orderId: string;
    type?: "Settled" | "Processing" | "Expired";
    additionalStatus?: "None" | "Overpaid" | "PaidAfterExpiration";
    test?: boolean;
    secret?: string;
  }

  /** Posts an event as the service does; answers the status. */
  async function send({ eventId, orderId, secret = SECRET, test = false, ...event }: Sent): Promise<number> {
    const metadata = JSON.stringify({ orderId });
    const { type = "Settled", additionalStatus = "None" } = event;
    const body = eventBody({ type, additionalStatus, invoiceId: "inv_a", metadata });
    const headers = signatureHeaders({
      eventId,
      deliveryId: "dlv_1",
      test,
      storeId: "store",
      attempt: 1,
      timestampSeconds: Math.floor(Date.now() / 1000),
      body,
      secret,
      userAgent: "Quittance/test",
    });
    return (await fetch(`http://127.0.0.1:${port}/webhook`, { method: "POST", headers, body })).status;
  }

  /** How often each order was fulfilled; waits for the output of everything that was sent before. */
  async function fulfilled(): Promise<Record<string, number>> {
    const last = `last-${output.length}-${Math.floor(performance.now())}`;
    expect(await send({ eventId: `evt_${last}`, orderId: last })).to.equal(200);
    await eventually(() => output.includes(`${last}: fulfil it`));
    const orders = [...output.matchAll(/^(\S+): fulfil it$/gm)].map(([, order = ""]) => order);
    const counts: Record<string, number> = {};
    for (const order of orders) if (order !== last) counts[order] = (counts[order] ?? 0) + 1;
    return counts;
  }

  it("fulfils an order once when its event arrives ten times, at once and again", async () => {
    const event: Sent = { eventId: "evt_1", orderId: "A-1" };
    const statuses = await Promise.all(Array.from({ length: 9 }, () => send(event)));
    statuses.push(await send(event));
    expect(statuses).to.deep.equal(Array<number>(10).fill(200));
    expect(await fulfilled()).to.deep.equal({ "A-1": 1 });
  });

  it("does not fulfil what is not Settled, was paid late, or is a test", async () => {
    await send({ eventId: "evt_8", orderId: "A-4", test: true });
    await send({ eventId: "evt_4", orderId: "A-4", type: "Processing" });
    await send({ eventId: "evt_5", orderId: "A-4", type: "Expired" });
    await send({ eventId: "evt_6", orderId: "A-4", additionalStatus: "PaidAfterExpiration" });
    expect(await fulfilled()).to.deep.equal({});
  });

  it("answers 401 to a wrong signature, and fulfils nothing", async () => {
    expect(await send({ eventId: "evt_7", orderId: "A-7", secret: SECRET.replace("AAEC", "AAED") })).to.equal(
      401,
    );
    const unsigned = { method: "POST", body: '{"type":"Settled","metadata":{"orderId":"A-7"}}' };
    expect((await fetch(`http://127.0.0.1:${port}/webhook`, unsigned)).status).to.equal(401);
    expect(await fulfilled()).to.deep.equal({});
  });
});
