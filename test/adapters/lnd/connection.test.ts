import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import type { AddressInfo, Server } from "node:net";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import type { LndClient } from "../../../adapters/lnd/client";
import type { LndTimes } from "../../../adapters/lnd/connection";
import { LndFailure } from "../../../adapters/lnd/failure";
import { makeLndClient } from "../../../adapters/lnd/lnd-client";
import type { NodeInvoice } from "../../../commands/ports";
import { makeCertificate, type Certificate } from "../../../scripts/devnet/lightning/certificate";
import { eventually } from "../../support/eventually";
import { TcpGate } from "../../support/devnet/tcp-gate";
import { never, refusal, ScriptedLnd, type Script } from "./scripted-lnd";

const HASH = "ab".repeat(32);
const INVOICE = {
  r_hash: Buffer.from(HASH, "hex"),
  r_preimage: Buffer.alloc(32, 7),
  state: "OPEN",
  payment_request: "lnbcrt1…",
  amt_paid_msat: "0",
  settle_date: "0",
  settle_index: "0",
};
const settled = (index: number) => ({
  ...INVOICE,
  state: "SETTLED",
  amt_paid_msat: "1500",
  settle_date: "1700000000",
  settle_index: String(index),
});

async function failureOf(call: Promise<unknown>): Promise<LndFailure> {
  const error: unknown = await call.then(
    () => new Error("it was answered"),
    (cause: unknown) => cause,
  );
  if (!(error instanceof LndFailure)) throw error;
  return error;
}

describe("the connection to LND", () => {
  let folder: string;
  let first: Certificate;
  let second: Certificate;
  let lnd: ScriptedLnd;
  let way: TcpGate;
  const clients: LndClient[] = [];

  const inFolder = (name: string): string => path.join(folder, name);
  /** As a careful operator does it: the file is there, whole, at every moment. */
  function replace(name: string, content: string | Buffer): void {
    writeFileSync(inFolder("new"), content);
    renameSync(inFolder("new"), inFolder(name));
  }
  function client(times: Partial<LndTimes> = {}, address = `localhost:${way.port}`): LndClient {
    const made = makeLndClient(
      {
        address,
        certificate: { file: inFolder("tls.cert") },
        macaroon: { file: inFolder("macaroon") },
      },
      { call: 20_000, addInvoice: 20_000, backoff: 50, backoffMax: 200, ...times },
    );
    clients.push(made);
    return made;
  }
  const script = (changes: Script): void => void Object.assign(lnd.script, changes);

  before(async () => {
    [first, second] = await Promise.all([makeCertificate(), makeCertificate()]);
  });
  beforeEach(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), "lnd-"));
    replace("tls.cert", first.cert);
    replace("macaroon", Buffer.from("first"));
    lnd = await ScriptedLnd.start(first, {
      "lnrpc.State/GetState": () => ({ state: "SERVER_ACTIVE" }),
      "lnrpc.Lightning/LookupInvoice": () => INVOICE,
    });
    way = TcpGate.make(0);
    await way.open(lnd.port);
  });
  afterEach(async () => {
    for (const each of clients.splice(0)) each.close();
    await way.close();
    lnd.stop();
    rmSync(folder, { recursive: true });
  });

  it("is one for many calls, and sends the macaroon only where it is needed", async () => {
    const shown: unknown[][] = [];
    script({
      "lnrpc.State/GetState": (_, metadata) => {
        shown.push(metadata.get("macaroon"));
        return { state: "LOCKED" };
      },
      "lnrpc.Lightning/LookupInvoice": (request, metadata) => {
        shown.push([...metadata.get("macaroon"), request["r_hash"]]);
        return INVOICE;
      },
    });
    const asked = client();
    expect(await asked.state()).to.equal("locked");
    expect((await asked.lookUpInvoice(HASH))?.paymentHash).to.equal(HASH);
    expect(shown).to.deep.equal([[], [Buffer.from("first").toString("hex"), Buffer.from(HASH, "hex")]]);
    expect(way.taken).to.equal(1);
  });

  it("accepts certificate and macaroon as hex", async () => {
    const asked = makeLndClient({
      address: `localhost:${way.port}`,
      certificate: { hex: Buffer.from(first.cert).toString("hex") },
      macaroon: { hex: "0102" },
    });
    clients.push(asked);
    expect((await asked.lookUpInvoice(HASH))?.state).to.equal("open");
  });

  describe("trusts", () => {
    const tls = (name: string): string => readFileSync(path.join("test/support/tls", name), "utf8");
    async function reached(shown: string, configured: string, host: string): Promise<unknown> {
      lnd.stop();
      await lnd.listen({ cert: tls(`${shown}.crt`), key: tls(`${shown}.key`) });
      replace("tls.cert", tls(`${configured}.crt`));
      const asked = client({}, `${host}:${way.port}`);
      return asked.state().catch((error: unknown) => (error as LndFailure).meaning);
    }
    it("exactly the configured certificate, under a name that is not in it", async () => {
      expect(await reached("self-signed", "self-signed", "localhost")).to.equal("active");
    });
    it("one that a configured authority has signed, under its own name only", async () => {
      expect(await reached("good", "ca", "127.0.0.1")).to.equal("active");
      expect(await reached("good", "ca", "localhost")).to.equal("certificate");
    });
    it("neither an expired one nor one of an authority that the system may trust", async () => {
      expect(await reached("expired", "ca", "127.0.0.1")).to.equal("certificate");
      expect(await reached("good", "self-signed", "127.0.0.1")).to.equal("certificate");
    });
  });

  it("without a certificate trusts the system's authorities, for the host's own name", async () => {
    const tls = (name: string): string => path.resolve("test/support/tls", name);
    lnd.stop();
    await lnd.listen({
      cert: readFileSync(tls("good.crt"), "utf8"),
      key: readFileSync(tls("good.key"), "utf8"),
    });
    const code = `
      const { makeLndClient } = require("./adapters/lnd/lnd-client.ts");
      const look = async (address) => {
        const lnd = makeLndClient({ address, certificate: null, macaroon: { hex: "00" } });
        console.log(await lnd.state().catch((error) => error.message));
        lnd.close();
      };
      void look("127.0.0.1:${way.port}").then(() => look("localhost:${way.port}"));`;
    const asked = (env: NodeJS.ProcessEnv) =>
      promisify(execFile)(process.execPath, ["--require", "tsx/cjs", "--eval", code], {
        env: { ...process.env, ...env },
      });
    const refused = /of no authority that the system trusts for this host: set LND_TLS_CERT_FILE/;
    const [trusted, other] = (await asked({ NODE_EXTRA_CA_CERTS: tls("ca.crt") })).stdout.split("\n");
    expect(trusted).to.equal("active");
    expect(other).to.match(refused); // it is 127.0.0.1's
    expect((await asked({})).stdout.split("\n")[0]).to.match(refused);
  });

  for (const [what, serve, says] of [
    [
      "a proxy without HTTP/2",
      (secure) => https.createServer({ ...secure, ALPNProtocols: ["http/1.1"] }),
      "no HTTP/2",
    ],
    ["a website without TLS", () => http.createServer(), "no TLS"],
  ] as [string, (secure: https.ServerOptions) => Server, string][])
    it(`says so when ${what} answers at LND's address`, async () => {
      const server = serve(first).listen(0, "127.0.0.1");
      await once(server, "listening");
      const failure = await failureOf(
        client({}, `localhost:${(server.address() as AddressInfo).port}`).state(),
      );
      expect(failure).to.include({ meaning: "not-grpc", fault: "away" });
      expect(failure.message).to.contain(says);
      server.close();
    });

  it("reports that LND is away when nothing listens, and continues when it is back", async () => {
    lnd.stop();
    const asked = client({}, `localhost:${lnd.port}`);
    const failure = await failureOf(asked.state());
    expect(failure.fault).to.equal("away");
    expect(failure.message).to.equal("LND does not answer (ECONNREFUSED)");
    await lnd.listen(first);
    await eventually(async () => expect(await asked.state()).to.equal("active"));
  });

  it("refuses another certificate, and accepts LND's new one once it is in the file", async () => {
    const asked = client();
    expect(await asked.state()).to.equal("active");
    lnd.stop();
    await lnd.listen(second);
    await eventually(async () => {
      const failure = await failureOf(asked.state());
      expect(failure).to.include({ meaning: "certificate", fault: "forbidden" });
    });
    replace("tls.cert", second.cert);
    expect(await asked.state()).to.equal("active");
  });

  it("never gives its macaroon to a server with another certificate", async () => {
    let asked = 0;
    script({
      "lnrpc.Lightning/LookupInvoice": () => {
        asked += 1;
        return INVOICE;
      },
    });
    lnd.stop();
    await lnd.listen(second);
    expect((await failureOf(client().lookUpInvoice(HASH))).meaning).to.equal("certificate");
    expect(asked).to.equal(0);
  });

  it("sends a changed macaroon with the next call, over the same connection", async () => {
    script({
      "lnrpc.Lightning/LookupInvoice": (_, metadata) => {
        if (metadata.get("macaroon")[0] === Buffer.from("second").toString("hex")) return INVOICE;
        throw refusal("verification failed: signature mismatch after caveat verification");
      },
    });
    const asked = client();
    expect(await failureOf(asked.lookUpInvoice(HASH))).to.include({
      meaning: "macaroon-refused",
      fault: "forbidden",
    });
    replace("macaroon", Buffer.from("second"));
    expect((await asked.lookUpInvoice(HASH))?.state).to.equal("open");
    expect(way.taken).to.equal(1);
  });

  it("reports which file is missing, empty or invalid without its path, and continues when it is back", async () => {
    const asked = client();
    for (const [name, content, words] of [
      ["macaroon", null, /macaroon cannot be read \(ENOENT\)/],
      ["macaroon", "", /macaroon is empty/],
      ["tls.cert", null, /certificate cannot be read \(ENOENT\)/],
      ["tls.cert", "", /not a certificate in PEM/],
      [
        "tls.cert",
        "-----BEGIN CERTIFICATE-----\nbm8=\n-----END CERTIFICATE-----\n",
        /not a certificate in PEM/,
      ],
    ] as const) {
      if (content === null) rmSync(inFolder(name));
      else replace(name, content);
      const failure = await failureOf(asked.lookUpInvoice(HASH));
      expect(failure.message).to.match(words).and.not.contain(folder);
      expect(failure.fault).to.equal("forbidden");
      replace("tls.cert", first.cert);
      replace("macaroon", Buffer.from("first"));
      expect((await asked.lookUpInvoice(HASH))?.state).to.equal("open");
    }
  });

  it("gives up a call that is not answered in time, which is another time for adding an invoice", async () => {
    script({ "lnrpc.Lightning/LookupInvoice": never, "lnrpc.Lightning/AddInvoice": never });
    const request = {
      preimage: Buffer.alloc(32, 1),
      amountSats: 1n,
      description: "",
      expiresInSeconds: 60,
      privateRouteHints: false,
    };
    // With the time of the other call each would take longer than this test may.
    const began = performance.now();
    const adding = client({ call: 600_000, addInvoice: 100 }).addInvoice(request);
    expect(await failureOf(adding)).to.include({ meaning: "late", fault: "away" });
    expect(performance.now() - began).to.be.at.least(90);
    const then = performance.now();
    const looking = client({ call: 200, addInvoice: 600_000 }).lookUpInvoice(HASH);
    expect((await failureOf(looking)).meaning).to.equal("late");
    expect(performance.now() - then).to.be.at.least(190);
  });

  it("is replaced when it died silently: the call after the late one is answered", async () => {
    const asked = client({ call: 10_000 }); // time enough for the call that is to be answered
    await asked.lookUpInvoice(HASH);
    way.die();
    expect((await failureOf(asked.lookUpInvoice(HASH))).meaning).to.equal("late");
    await asked.lookUpInvoice(HASH);
    expect(way.taken).to.equal(2);
  });

  it("that is given up fails a call that is just beginning, without its deadline", async () => {
    script({ "lnrpc.Lightning/LookupInvoice": never });
    const asked = client({ call: 600_000 });
    await asked.state();
    const looking = asked.lookUpInvoice(HASH);
    asked.reconnect();
    expect((await failureOf(looking)).fault).to.equal("away");
  });

  it("is not replaced at each late call of a slow LND", async () => {
    script({ "lnrpc.Lightning/LookupInvoice": never });
    const asked = client({ call: 100, backoff: 60_000, backoffMax: 60_000 });
    for (let i = 0; i < 5; i += 1) await failureOf(asked.lookUpInvoice(HASH));
    expect(way.taken).to.be.within(1, 2); // a busy machine may be late before the first is taken
  });

  it("reports an invalid answer", async () => {
    for (const nonsense of [
      { ...INVOICE, r_hash: Buffer.alloc(3) },
      { ...INVOICE, payment_request: "x", amt_paid_msat: "-1" },
    ]) {
      script({ "lnrpc.Lightning/LookupInvoice": () => nonsense });
      expect((await failureOf(client().lookUpInvoice(HASH))).meaning).to.equal("malformed");
    }
  });

  describe("with the stream of settled invoices", () => {
    const stream = (run: (call: { write(message: object): boolean; end(): void }) => void | Promise<void>) =>
      script({ "lnrpc.Lightning/SubscribeInvoices": { stream: run } });

    it("delivers settled ones only, one after the other, in LND's order", async () => {
      stream((call) => {
        for (let index = 1; index <= 100; index += 1) {
          call.write({ ...INVOICE, state: index % 2 ? "OPEN" : "CANCELED" });
          call.write(settled(index));
        }
      });
      const enough = new AbortController();
      const told: NodeInvoice[] = [];
      let atOnce = 0;
      const onSettled = async (invoice: NodeInvoice): Promise<void> => {
        atOnce += 1;
        expect(atOnce).to.equal(1);
        await new Promise((resolve) => setImmediate(resolve));
        atOnce -= 1;
        if (told.push(invoice) === 100) enough.abort();
      };
      await client().subscribeSettled(0n, onSettled, enough.signal);
      expect(told.map(({ settleIndex }) => Number(settleIndex))).to.deep.equal(
        Array.from({ length: 100 }, (_, index) => index + 1),
      );
      expect(told[0]).to.deep.equal({
        paymentHash: HASH,
        state: "settled",
        bolt11: "lnbcrt1…",
        amountPaidMsat: 1_500n,
        settledAt: new Date(1_700_000_000_000),
        settleIndex: 1n,
        preimage: "07".repeat(32),
      });
    });

    it("ignores spontaneous AMP payments, which have no hash", async () => {
      const unasked = { r_hash: Buffer.alloc(0), r_preimage: Buffer.alloc(0), payment_request: "" };
      stream((call) => {
        call.write({ ...INVOICE, ...unasked });
        call.write({ ...settled(1), ...unasked });
        call.write(settled(2));
      });
      const enough = new AbortController();
      const told: string[] = [];
      const onSettled = async ({ paymentHash }: NodeInvoice): Promise<void> => {
        if (told.push(paymentHash) === 2) enough.abort();
        return Promise.resolve();
      };
      await client().subscribeSettled(0n, onSettled, enough.signal);
      expect(told).to.deep.equal(["", HASH]);
    });

    it("delivers what follows one that cannot be read", async () => {
      stream((call) => {
        call.write({ ...settled(1), r_hash: Buffer.alloc(3) });
        call.write(settled(2));
      });
      const enough = new AbortController();
      const told: unknown[] = [];
      const onSettled = async ({ settleIndex }: NodeInvoice): Promise<void> => {
        told.push(settleIndex);
        enough.abort();
        return Promise.resolve();
      };
      await client().subscribeSettled(0n, onSettled, enough.signal);
      expect(told).to.deep.equal([2n]);
    });

    it("starts at the index, and reads no faster than its reader", async () => {
      const asked: unknown[] = [];
      let written = 0;
      const filler = "x".repeat(64 * 1024);
      script({
        "lnrpc.Lightning/SubscribeInvoices": {
          async stream(call) {
            asked.push(call.request["settle_index"]);
            for (; written < 2_000; written += 1)
              if (!call.write({ ...settled(written + 1), memo: filler }))
                await new Promise((resolve) => call.once("drain", resolve));
          },
        },
      });
      const stop = new AbortController();
      const held = new Promise<void>((resolve) => stop.signal.addEventListener("abort", () => resolve()));
      let begun = 0;
      const watching = client().subscribeSettled(
        41n,
        () => {
          begun += 1;
          return held;
        },
        stop.signal,
      );
      await eventually(() => expect(begun).to.equal(1));
      const seen = new Set<number>();
      // Until the server stands still.
      await eventually(() => {
        expect(seen.has(written)).to.equal(true, String(seen.add(written).size));
      });
      expect(asked).to.deep.equal(["41"]);
      expect(written).to.be.below(500);
      stop.abort();
      await watching;
      expect(begun).to.equal(1);
    });

    it("ends with the reader's error, and cancels it in LND", async () => {
      let canceled = 0;
      script({
        "lnrpc.Lightning/SubscribeInvoices": {
          stream(call) {
            call.on("cancelled", () => (canceled += 1));
            call.write(settled(1));
            call.write(settled(2));
          },
        },
      });
      const broken = new Error("the database is away");
      const told: bigint[] = [];
      const ended = await client()
        .subscribeSettled(
          0n,
          ({ settleIndex }) => {
            told.push(settleIndex);
            return Promise.reject(broken);
          },
          new AbortController().signal,
        )
        .catch((error: unknown) => error);
      expect(ended).to.equal(broken);
      expect(told).to.deep.equal([1n]);
      await eventually(() => expect(canceled).to.equal(1));
    });

    const ignore = (): Promise<void> => Promise.resolve();
    const unending = (): AbortSignal => new AbortController().signal;

    it("fails when LND ends it, refuses it or dies", async () => {
      stream((call) => call.end());
      expect((await failureOf(client().subscribeSettled(0n, ignore, unending()))).fault).to.equal("away");
      stream((call) => {
        (call as unknown as { emit(event: string, error: Error): void }).emit(
          "error",
          refusal("permission denied"),
        );
      });
      const refused = await failureOf(client().subscribeSettled(0n, ignore, unending()));
      expect(refused.message).to.contain("invoices:read");
      let begun = false;
      stream(() => {
        begun = true;
      });
      const watching = failureOf(client().subscribeSettled(0n, ignore, unending()));
      await eventually(() => expect(begun).to.equal(true));
      lnd.stop();
      expect((await watching).fault).to.equal("away");
    });

    it("fails with the late call that shows a connection to be half open", async () => {
      let begun = false;
      stream(() => {
        begun = true;
      });
      const asked = client({ call: 200 });
      const watching = failureOf(asked.subscribeSettled(0n, ignore, unending()));
      await eventually(() => expect(begun).to.equal(true));
      way.die();
      expect((await failureOf(asked.lookUpInvoice(HASH))).meaning).to.equal("late");
      expect((await watching).fault).to.equal("away");
    });

    it("fails by its own pings on a half-open connection, without any other call", async () => {
      let begun = false;
      stream(() => {
        begun = true;
      });
      const watching = failureOf(
        client({ keepalive: 500, keepaliveAnswer: 2_000 }).subscribeSettled(0n, ignore, unending()),
      );
      await eventually(() => expect(begun).to.equal(true));
      way.die();
      expect((await watching).fault).to.equal("away");
    });

    it("fails when the connection is given up, and a new one is opened for the next", async () => {
      let begun = 0;
      stream((call) => {
        begun += 1;
        if (begun === 2) call.write(settled(1));
      });
      const asked = client();
      const watching = failureOf(asked.subscribeSettled(0n, ignore, unending()));
      await eventually(() => expect(begun).to.equal(1));
      asked.reconnect();
      expect((await watching).fault).to.equal("away");
      const enough = new AbortController();
      await asked.subscribeSettled(0n, async () => enough.abort(), enough.signal);
      expect(way.taken).to.equal(2);
    });

    it("resolves by the signal, also before any request", async () => {
      const stop = new AbortController();
      let begun = false;
      stream(() => {
        begun = true;
      });
      const watching = client().subscribeSettled(0n, ignore, stop.signal);
      await eventually(() => expect(begun).to.equal(true));
      stop.abort();
      await watching;
      await client().subscribeSettled(0n, ignore, stop.signal);
      expect(way.taken).to.equal(1);
    });

    it("resolves by a signal that comes while it is being connected", async () => {
      const stop = new AbortController();
      const watching = client().subscribeSettled(0n, ignore, stop.signal);
      stop.abort();
      await watching;
      expect(way.taken).to.equal(0);
    });
  });
});
