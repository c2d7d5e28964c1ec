import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { eventBody } from "../../domain/webhook/body";
import { serviceSignature, signatureHeaders } from "../../domain/webhook/signature";
import { freePort } from "../../scripts/devnet/free-port";
import { eventually } from "../support/eventually";
import { needs } from "../support/needs";

const ROOT = join(__dirname, "../..");
const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const BODY = eventBody({
  type: "Settled",
  invoiceId: "inv_8Kq2mVZ5TnYxLr4cWbPdHs9G",
  metadata: '{"orderId":"Bestellung ü/../7", "2":1, "1":12345678901234567890}',
  additionalStatus: "None",
});

const RECEIVERS = {
  "node.mjs": { command: process.execPath, args: () => ["docs/receivers/node.mjs"] },
  "receiver.php": {
    command: "php",
    args: (port: number) => ["-S", `127.0.0.1:${port}`, "docs/receivers/receiver.php"],
  },
  "receiver.py": { command: "python3", args: () => ["docs/receivers/receiver.py"] },
};

/** The fenced block of docs/webhooks.md that signs by hand. */
function documentedCommand(): string {
  const blocks = [
    ...readFileSync(join(ROOT, "docs/webhooks.md"), "utf8").matchAll(/^```sh\n([\s\S]*?)^```$/gm),
  ];
  const found = blocks.flatMap(([, code = ""]) => (code.includes("openssl dgst") ? [code] : []));
  expect(found, "blocks with openssl dgst").to.have.length(1);
  return found[0] ?? "";
}

describe("docs/webhooks.md", () => {
  it("shows a request whose signature is valid", () => {
    const text = readFileSync(join(ROOT, "docs/webhooks.md"), "utf8");
    const [, signature, body = ""] = /^X-Service-Sig: (\S+)\n\n(\{.*\})$/m.exec(text) ?? [];
    const [, secret = ""] = /with the secret `(whsec_[^`]+)`/.exec(text) ?? [];
    expect(signature).to.equal(serviceSignature(Buffer.from(body), secret));
  });
});

for (const [file, { command, args }] of Object.entries(RECEIVERS)) {
  describe(`docs/receivers/${file}`, () => {
    let child: ChildProcess | undefined;
    let ordersDir: string;
    let url: string;
    let output = "";

    const post = (body: Buffer, headers: Record<string, string>) =>
      fetch(url, { method: "POST", headers, body });
    const paidOrders = () => readdirSync(ordersDir).length;
    const timesSaid = (text: string) => output.split(text).length - 1;

    function signed(body: Buffer, { test = false } = {}): Record<string, string> {
      return signatureHeaders({
        test,
        eventId: "evt_1",
        deliveryId: "dlv_1",
        storeId: "store",
        attempt: 1,
        timestampSeconds: Math.floor(Date.now() / 1000),
        body,
        secret: SECRET,
        userAgent: "Quittance/test",
      });
    }

    /** @param prefix A shell's commands before the receiver is started. */
    async function start(prefix = ""): Promise<ChildProcess> {
      const port = await freePort();
      url = `http://127.0.0.1:${port}/webhook`;
      const receiver = spawn("sh", ["-c", `${prefix} exec "$0" "$@"`, command, ...args(port)], {
        cwd: ROOT,
        env: {
          ...process.env,
          WEBHOOK_SECRET: SECRET,
          ORDERS_DIR: ordersDir,
          PORT: String(port),
          PYTHONUTF8: "1",
        },
      });
      receiver.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
      receiver.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
      await eventually(async () => {
        await fetch(url);
      });
      return receiver;
    }

    async function stop(receiver: ChildProcess): Promise<void> {
      receiver.kill("SIGKILL");
      if (receiver.exitCode === null && receiver.signalCode === null) await once(receiver, "exit");
    }

    before(async function () {
      needs(this, command);
      ordersDir = mkdtempSync(join(tmpdir(), "receiver-"));
      child = await start();
    });

    beforeEach(() => {
      output = "";
      for (const name of readdirSync(ordersDir)) rmSync(join(ordersDir, name));
    });

    after(async () => {
      if (child === undefined) return;
      await stop(child);
      rmSync(ordersDir, { recursive: true, force: true });
    });

    it("fulfils an order once, though its event comes twice", async () => {
      for (let i = 0; i < 2; i += 1) expect((await post(BODY, signed(BODY))).status).to.equal(200);
      expect(paidOrders()).to.equal(1);
      await eventually(() => timesSaid("paid, fulfil it") + timesSaid("already paid, skipped") === 2);
      expect(timesSaid("paid, fulfil it")).to.equal(1);
    });

    it("fulfils an order at the redelivery when the first attempt found the disk full", async () => {
      const healthyUrl = url;
      const full = await start("trap '' XFSZ; ulimit -f 0;"); // every write of a file fails
      try {
        expect((await post(BODY, signed(BODY))).status).to.equal(500);
        expect(readdirSync(ordersDir), output).to.deep.equal([]);
      } finally {
        await stop(full);
        url = healthyUrl;
      }
      expect((await post(BODY, signed(BODY))).status).to.equal(200);
      await eventually(() => timesSaid("paid, fulfil it") === 1);
      const [order = ""] = readdirSync(ordersDir);
      expect(readFileSync(join(ordersDir, order))).to.deep.equal(BODY);
    });

    it("fulfils nothing for a test event", async () => {
      expect((await post(BODY, signed(BODY, { test: true }))).status).to.equal(200);
      expect(paidOrders()).to.equal(0);
    });

    it("fulfils an order once, though its event comes ten times at the same moment", async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => post(BODY, signed(BODY))));
      expect(answers.map(({ status }) => status)).to.deep.equal(Array<number>(10).fill(200));
      await eventually(() => timesSaid("paid, fulfil it") + timesSaid("already paid, skipped") === 10);
      expect(timesSaid("paid, fulfil it")).to.equal(1);
    });

    for (const [name, alter] of [
      [
        "the secret of somebody else",
        (body) => ({ ...signed(body), "X-Service-Sig": serviceSignature(body, "sk_live_key") }),
      ],
      [
        "no sha256= in front",
        (body) => ({ ...signed(body), "X-Service-Sig": serviceSignature(body, SECRET).slice(7) }),
      ],
      ["an empty signature", (body) => ({ ...signed(body), "X-Service-Sig": "" })],
      ["a signature that is not ASCII", (body) => ({ ...signed(body), "X-Service-Sig": "sha256=ü" })],
      ["no signature", () => ({ "Content-Type": "application/json" })],
    ] as [string, (body: Buffer) => Record<string, string>][]) {
      it(`answers 401 in plain text to ${name}, and does nothing`, async () => {
        const answer = await post(BODY, alter(BODY));
        expect(answer.status).to.equal(401);
        expect(answer.headers.get("content-type")).to.match(/^text\/plain/);
        expect(await answer.text()).to.equal("invalid signature\n");
        expect(paidOrders()).to.equal(0);
      });
    }

    it("answers 401 to altered bytes, though they are the same JSON", async () => {
      const spaced = Buffer.from(BODY.toString().replace('{"type":', '{ "type":'));
      expect((await post(spaced, signed(BODY))).status).to.equal(401);
      expect(paidOrders()).to.equal(0);
    });

    it("does not automatically fulfil what was paid late, in part or not at all", async () => {
      for (const [type, additionalStatus] of [
        ["Settled", "PaidAfterExpiration"],
        ["Expired", "Underpaid"],
        ["Expired", "None"],
        ["Processing", "None"],
        ["Invalid", "None"],
        ["New", "None"],
      ] as const) {
        const body = eventBody({ type, additionalStatus, invoiceId: "inv_a", metadata: '{"orderId":"7"}' });
        expect((await post(body, signed(body))).status).to.equal(200);
      }
      expect(paidOrders()).to.equal(0);
    });

    it("fulfils what was overpaid", async () => {
      const body = Buffer.from(BODY.toString().replace('"None"', '"Overpaid"'));
      expect((await post(body, signed(body))).status).to.equal(200);
      expect(paidOrders()).to.equal(1);
      await eventually(() => timesSaid("paid, fulfil it") === 1); // not in the next test
    });

    it("answers 500 to a signed event that it cannot process, so that it can be sent again", async () => {
      const body = Buffer.from("not JSON");
      expect((await post(body, signed(body))).status).to.equal(500);
    });

    it("accepts the event of the documented command by curl and openssl, and refuses it with another secret", async function () {
      needs(this, "sh", "curl", "openssl");
      const run = async (secret: string) => {
        const env = { ...process.env, WEBHOOK_SECRET: secret, WEBHOOK_URL: url };
        return (await promisify(execFile)("sh", ["-c", documentedCommand()], { env })).stdout;
      };
      expect(await run(SECRET)).to.match(/^HTTP\/1\.[01] 200 /);
      expect(paidOrders()).to.equal(1);
      await eventually(() => timesSaid("A-1001: paid, fulfil it") === 1);
      expect(await run(SECRET.replace("AAEC", "AAED"))).to.match(/^HTTP\/1\.[01] 401 /);
    });
  });
}
