import http from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { expect } from "chai";
import { CALLS } from "../../../adapters/lnd/calls";
import { clientMethod } from "../../../adapters/lnd/protos";
import { makeDialer } from "../../../adapters/lnd/dial";
import { LndFailure } from "../../../adapters/lnd/failure";
import type { LndClient } from "../../../adapters/lnd/client";
import { type LndNodes, makeLndNodes } from "../../../adapters/lnd/lnd-nodes";
import { makeCertificate } from "../../../scripts/devnet/lightning/certificate";
import { SimulatedLnd } from "../../support/devnet/simulated-lnd";
import { testDialer } from "../../support/context";
import { eventually } from "../../support/eventually";
import { never, ScriptedLnd } from "./scripted-lnd";

describe("a store's node that is connected", () => {
  let lnd: SimulatedLnd;
  before(async () => {
    lnd = await SimulatedLnd.start();
  });
  after(() => lnd.stop());
  const infoBy = async (nodes: LndNodes): Promise<string | null> => {
    const { url: address, tlsCert: certificate, quittanceMacaroon } = lnd.grpc;
    const given = { address, certificate, macaroon: quittanceMacaroon.toString("hex") };
    try {
      return (await nodes.of({ id: "lnd_own", given }).info()).nodeKey;
    } catch (error) {
      if (error instanceof LndFailure) return error.meaning;
      throw error;
    } finally {
      nodes.close();
    }
  };

  it("is called only where the rules for addresses allow it, also after its check", async () => {
    const strict = makeDialer({ allowedCidrs: [], torProxy: null });
    expect(await infoBy(makeLndNodes(null, strict))).to.equal("refused");
    expect(await infoBy(makeLndNodes(null, testDialer))).to.equal(lnd.nodeKey);
  });

  it("is reported like a closed port, or another service, inside the operator's network", async () => {
    const others = [
      createServer(() => undefined),
      http.createServer(),
      createTlsServer(await makeCertificate()),
    ];
    for (const other of others) await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    const ports = others.map((other) => (other.address() as AddressInfo).port);
    const { tlsCert: certificate, quittanceMacaroon } = lnd.grpc;
    const macaroon = quittanceMacaroon.toString("hex");
    const nodes = makeLndNodes(null, testDialer, { call: 1_000 });
    const reports = [1, ...ports].map(async (port) => {
      const client = nodes.of({
        id: String(port),
        given: { address: `127.0.0.1:${port}`, certificate, macaroon },
      });
      const began = performance.now();
      const failure = (await client.state().catch((error: unknown) => error)) as LndFailure;
      const soon = performance.now() - began < 990;
      return { soon, fault: failure.fault, message: failure.message };
    });
    const same = { soon: false, fault: "away", message: "LND did not answer in time" };
    expect(await Promise.all(reports)).to.deep.equal([same, same, same, same]);
    nodes.close();
    for (const other of others) other.close();
  });

  it("is reported by its certificate where it has answered before, inside the operator's network too", async () => {
    const own = await SimulatedLnd.start();
    const { url: address, tlsCert: certificate, quittanceMacaroon } = own.grpc;
    const given = { address, certificate, macaroon: quittanceMacaroon.toString("hex") };
    const nodes = makeLndNodes(null, testDialer, { call: 1_000 });
    const client = nodes.of({ id: "lnd_own", given });
    await client.info();
    await own.restart({ newCertificate: true });
    await eventually(async () => {
      client.reconnect();
      const failure = await client.info().catch((error: unknown) => error);
      expect(failure).to.include({ meaning: "certificate" });
    });
    nodes.close();
    await own.stop();
  });

  it("is asked in turn, and not given up, by more look-ups than it is called with at once", async () => {
    const { url: address, tlsCert: certificate, adminMacaroon } = lnd.grpc;
    const given = { address, certificate, macaroon: adminMacaroon.toString("hex") };
    const nodes = makeLndNodes(null, testDialer);
    const client = nodes.of({ id: "lnd_own", given });
    lnd.faults.lateMs = { LookupInvoice: 50 };
    const answers = await Promise.all(
      Array.from({ length: 70 }, () => client.lookUpInvoice("11".repeat(32))),
    );
    lnd.faults.lateMs = {};
    nodes.close();
    expect(new Set(answers)).to.deep.equal(new Set([null]));
  });

  it("is asked again where its answers are too long, until it is given up, and delays others by one", async () => {
    const own = await makeCertificate();
    const script = (hangsAfter: number) => {
      let asked = 0;
      return ScriptedLnd.start(own, {
        "lnrpc.State/GetState": () => ({ state: "SERVER_ACTIVE" }),
        "lnrpc.Lightning/LookupInvoice": ({ r_hash }) =>
          (asked += 1) > hangsAfter ? never() : { r_hash, state: "OPEN", memo: "x".repeat(300_000) },
      });
    };
    const [hangs, well] = [await script(5), await script(Infinity)];
    const nodes = makeLndNodes(null, testDialer, { call: 2_000 });
    const [hanging, sound] = [hangs, well].map(({ port }) => {
      const given = { address: `127.0.0.1:${port}`, macaroon: "00", certificate: own.cert };
      return nodes.of({ id: `lnd_${port}`, given });
    }) as [LndClient, LndClient];
    await Promise.all([hanging.state(), sound.state()]); // from then on their answers are reported
    let ended = 0;
    const failures = Array.from({ length: 5 }, (_, at) =>
      hanging
        .lookUpInvoice(String(at).repeat(64))
        .catch((error: unknown) => error)
        .finally(() => (ended += 1)),
    );
    await eventually(() => expect(ended).to.equal(1));
    const hash = "77".repeat(32);
    expect(await sound.lookUpInvoice(hash)).to.include({ paymentHash: hash });
    expect(ended).to.be.lessThan(4);
    const began = performance.now();
    hanging.reconnect();
    const meanings = (await Promise.all(failures)).map((failure) => (failure as LndFailure).meaning);
    expect([...new Set(meanings)]).to.deep.equal(["too-large", "away"]);
    expect(performance.now() - began).to.be.lessThan(1_000);
    nodes.close();
    for (const node of [hangs, well]) node.stop();
  });

  it("shows only the invoice that it was asked for", async () => {
    const { url: address, tlsCert: certificate, adminMacaroon } = lnd.grpc;
    const given = { address, certificate, macaroon: adminMacaroon.toString("hex") };
    const nodes = makeLndNodes(null, testDialer);
    const client = nodes.of({ id: "lnd_own", given });
    const request = { preimage: Buffer.alloc(32, 7), amountSats: 1n, description: "", expiresInSeconds: 60 };
    const { paymentHash } = await client.addInvoice({ ...request, privateRouteHints: false });
    const get = lnd.core.book.get.bind(lnd.core.book);
    lnd.core.book.get = () => get(paymentHash);
    const asked = await client.lookUpInvoice("22".repeat(32)).catch((error: unknown) => error);
    nodes.close();
    expect(asked).to.be.instanceOf(LndFailure).and.to.include({ meaning: "malformed" });
  });

  it("says nothing that no node can have, and that no row could hold", () => {
    const channel = (remote_balance: string) => ({ remote_balance, remote_constraints: null });
    const channels = (...sats: string[]) =>
      CALLS.listChannels.answer.safeParse({ channels: sats.map(channel) }).success;
    expect(channels("2100000000000000")).to.equal(true);
    expect(channels("2100000000000000", "1")).to.equal(false);
    expect(channels("9223372036854775807")).to.equal(false);
    const info = (network: string, version = "0.20.0-beta commit=v0.20.0-beta") =>
      CALLS.getInfo.answer.safeParse({
        ...{ identity_pubkey: `02${"11".repeat(32)}`, version, synced_to_chain: true },
        chains: [{ network }],
      }).success;
    expect([info("regtest"), info("regtest\0"), info("x".repeat(21)), info("regtest", "\0")]).to.deep.equal([
      ...[true, false, false, false],
    ]);
  });

  it("is read no further than it is used, however many empty parts its answer has", () => {
    const emptyParts = (field: number): Buffer => {
      const tag = (field << 3) | 2;
      const part = tag < 128 ? [tag, 0] : [(tag & 127) | 128, tag >> 7, 0];
      return Buffer.alloc(part.length * 80_000, Buffer.from(part));
    };
    for (const [name, { service, method }] of Object.entries(CALLS))
      for (let field = 1; field < 40; field += 1) {
        let read: object;
        try {
          read = clientMethod(service, method).responseDeserialize(emptyParts(field));
        } catch {
          continue; // a number, or too many of a list
        }
        expect(JSON.stringify(read).length, `${name} ${field}`).to.be.below(2_000);
      }
  });

  it("keeps no connection that was given up, wherever it hangs", async () => {
    const certificate = await makeCertificate();
    const halfOpen = { ...certificate, ALPNProtocols: ["h2"], allowHalfOpen: true };
    const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
    const hanging = [
      { node: createServer(), began: "connection", says: "" },
      { node: createTlsServer(halfOpen), began: "secureConnection", says: "" },
      { node: createTlsServer(halfOpen), began: "secureConnection", says: settings },
    ];
    for (const { node, began, says } of hanging) {
      let taken = 0;
      const open = new Set<Socket>();
      node.on(began, (socket: Socket) => {
        taken += 1;
        socket.write(says);
        open.add(socket);
        const left = (): void => void open.delete(socket);
        socket.on("error", left).on("end", left).on("close", left).resume();
      });
      await new Promise<void>((done) => node.listen(0, "127.0.0.1", done));
      const given = { address: `127.0.0.1:${(node.address() as AddressInfo).port}`, macaroon: "00" };
      const nodes = makeLndNodes(null, testDialer, { call: 500 });
      const client = nodes.of({ id: "lnd_own", given: { ...given, certificate: certificate.cert } });
      for (let attempt = 0; attempt < 3; attempt += 1) {
        expect(await client.state().catch((error: unknown) => error)).to.be.instanceOf(LndFailure);
        client.reconnect();
      }
      await eventually(() => expect([taken, open.size]).to.deep.equal([3, 0]));
      nodes.close();
      node.close();
    }
  });

  it("is read at a pace, and no further, however much its stream sends", async () => {
    const certificate = await makeCertificate();
    let written = 0;
    const flood = await ScriptedLnd.start(certificate, {
      "lnrpc.Lightning/SubscribeInvoices": {
        async stream(call) {
          for (; !call.cancelled; written += 1) {
            const settled = { r_hash: Buffer.alloc(32), state: "SETTLED", settle_index: written };
            if (!call.write({ ...settled, memo: "x".repeat(100_000) }))
              await new Promise((resolve) => call.once("drain", resolve).once("cancelled", resolve));
          }
        },
      },
    });
    const given = { address: `127.0.0.1:${flood.port}`, macaroon: "00", certificate: certificate.cert };
    const nodes = makeLndNodes(null, testDialer);
    const end = new AbortController();
    const at: number[] = [];
    await nodes.of({ id: "lnd_flood", given }).subscribeSettled(
      1n,
      async () => {
        if (at.push(performance.now()) === 3) end.abort();
      },
      end.signal,
    );
    expect((at[2] ?? 0) - (at[0] ?? 0)).to.be.greaterThan(3_000);
    expect(written).to.be.lessThan(20);
    nodes.close();
    flood.stop();
  });

  it("rests ten times as long as its message took, unless that was of use", async () => {
    const own = await makeCertificate();
    const stream = await ScriptedLnd.start(own, {
      "lnrpc.Lightning/SubscribeInvoices": {
        stream(call) {
          const settled = { r_hash: Buffer.alloc(32), state: "SETTLED" };
          for (let index = 1; index <= 40; index += 1) call.write({ ...settled, settle_index: index });
        },
      },
    });
    const given = { address: `127.0.0.1:${stream.port}`, macaroon: "00", certificate: own.cert };
    const nodes = makeLndNodes(null, testDialer);
    const timeFor = async (count: number, useful: boolean): Promise<number> => {
      const end = new AbortController();
      const at: number[] = [];
      await nodes.of({ id: `lnd_${useful}`, given }).subscribeSettled(
        1n,
        async () => {
          await new Promise((done) => setTimeout(done, 50));
          if (at.push(performance.now()) === count) end.abort();
          return useful;
        },
        end.signal,
      );
      return (at.at(-1) ?? 0) - (at[0] ?? 0);
    };
    expect(await timeFor(5, false)).to.be.greaterThan(4 * 500);
    expect(await timeFor(40, true)).to.be.lessThan(39 * 500);
    nodes.close();
    stream.stop();
  });

  it("may break its way through Tor before anything is said on it", async () => {
    let through: Socket | undefined;
    const tor = http.createServer().on("connect", (_, socket: Socket) => {
      through = socket;
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
    });
    await new Promise<void>((done) => tor.listen(0, "127.0.0.1", done));
    const { port } = tor.address() as AddressInfo;
    const dial = makeDialer({ allowedCidrs: [], torProxy: `127.0.0.1:${port}` })("abcdefghij.onion:10009");
    const socket = await (await dial()).connect();
    through?.resetAndDestroy();
    await eventually(() => socket.destroyed);
    tor.close();
  });

  it("costs no more memory than its bound, whatever it answers", async () => {
    const { options } = await testDialer(lnd.grpc.url)();
    const none = { ...options, "grpc.max_receive_message_length": 1 };
    const bounded = makeLndNodes(null, (address) => async () => ({
      ...(await testDialer(address)()),
      options: none,
    }));
    expect(options["grpc.max_receive_message_length"]).to.be.at.most(256 * 1024);
    expect(await infoBy(bounded)).not.to.equal(lnd.nodeKey);
  });
});
