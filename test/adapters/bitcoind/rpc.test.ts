import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { makeBitcoindRpc, type BitcoindRpc } from "../../../adapters/bitcoind/rpc";
import { decodeTx } from "../../../domain/chain/decode-tx";
import { NodeUnavailableError } from "../../../domain/errors";
import { SimulatedNode } from "../../support/devnet/simulated-node";
import { failureOf } from "../../support/refusal";

const UNKNOWN = "11".repeat(32);

const unavailable = (work: Promise<unknown>) => failureOf(work, NodeUnavailableError);

describe("bitcoind's RPC", () => {
  let node: SimulatedNode;
  let rpc: BitcoindRpc;
  before(async () => {
    node = await SimulatedNode.start();
    rpc = makeBitcoindRpc({ url: node.rpcUrl });
  });
  after(async () => {
    await node.stop();
  });

  it("answers null for what does not exist", async () => {
    expect(await rpc.blockHash(10_000)).to.equal(null);
    expect(await rpc.blockHeader(UNKNOWN)).to.equal(null);
    expect(await rpc.rawBlock(UNKNOWN)).to.equal(null);
    expect(await rpc.mempoolEntry(UNKNOWN)).to.equal(null);
    expect(await rpc.mempoolAncestors(UNKNOWN)).to.equal(null);
    expect((await rpc.mempoolTransactions([UNKNOWN])).size).to.equal(0);
    expect((await rpc.mempoolSpenders([])).size).to.equal(0);
  });

  it("answers null for a pruned block", async () => {
    node.faults.prunedBelow = 100;
    expect(await rpc.rawBlock((await rpc.blockHash(99)) ?? "")).to.equal(null);
    expect((await rpc.info()).pruneHeight).to.equal(100);
    node.faults.prunedBelow = 0;
  });

  it("asks again for fewer when the answer is too long, and reports one that is too long alone", async () => {
    const txids = await Promise.all(
      Array.from({ length: 5 }, async () => node.pay(await node.newAddress(), 1_000n)),
    );
    const found = await rpc.mempoolTransactions(txids);
    const longest = Math.max(...[...found.values()].map(({ length }) => length)) * 2;
    const narrow = makeBitcoindRpc({ url: node.rpcUrl, answerBytesMax: longest * 2 });
    expect([...(await narrow.mempoolTransactions([...txids, UNKNOWN]))]).to.deep.equal([...found]);
    const tooNarrow = makeBitcoindRpc({ url: node.rpcUrl, answerBytesMax: longest });
    expect((await unavailable(tooNarrow.mempoolTransactions(txids))).message).to.match(/longer than/);
  });

  it("finds the mempool transaction that spends an outpoint", async () => {
    const txid = await node.pay(await node.newAddress(), 1_000n);
    const raw = (await rpc.mempoolTransactions([txid])).get(txid);
    const input = decodeTx(raw ?? Buffer.alloc(0)).inputs[0]?.outpoint ?? Buffer.alloc(36);
    const spent = {
      txid: Buffer.from(input.subarray(0, 32)).reverse().toString("hex"),
      vout: input.readUInt32LE(32),
    };
    // More than in one call.
    const others = Array.from({ length: 5_000 }, (_, vout) => ({ txid: UNKNOWN, vout }));
    const spenders = await rpc.mempoolSpenders([...others, spent]);
    expect([...spenders]).to.deep.equal([[`${spent.txid}:${spent.vout}`, txid]]);
  });

  it("reports refused credentials, without them", async () => {
    const url = new URL(node.rpcUrl);
    url.password = "wrong-password";
    const refused = makeBitcoindRpc({ url: url.href });
    const error = await unavailable(refused.info());
    expect(error.message).to.equal("the node refuses the credentials");
  });

  describe("with a cookie file", () => {
    let dir: string;
    before(() => {
      dir = mkdtempSync(path.join(os.tmpdir(), "quittance-cookie-"));
    });
    after(() => rmSync(dir, { recursive: true, force: true }));

    it("reads it again when it is not there yet, and when the node refuses the old one", async () => {
      const { username, password, port } = new URL(node.rpcUrl);
      const cookieFile = path.join(dir, ".cookie");
      const withCookie = makeBitcoindRpc({ url: `http://127.0.0.1:${port}`, cookieFile });
      await unavailable(withCookie.info());
      writeFileSync(cookieFile, "__cookie__:of-a-former-start\n");
      await unavailable(withCookie.info());
      writeFileSync(cookieFile, `${username}:${password}\n`);
      expect((await withCookie.info()).chain).to.equal("regtest");
    });
  });

  describe("from a node that misbehaves", () => {
    let server: Server;
    let answer: { status: number; body: string } | "silence" | "half" | "stall";
    let bad: BitcoindRpc;
    /** For a node that says no more. */
    let hasty: BitcoindRpc;
    before(async () => {
      server = createServer((request, response) => {
        request.resume();
        if (answer === "silence") return;
        if (answer === "half" || answer === "stall") {
          response.writeHead(200, { "content-length": "1000" });
          response.write('{"result":');
          if (answer === "half") response.socket?.destroySoon();
          return;
        }
        response.writeHead(answer.status).end(answer.body);
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const url = `http://u:secret-word@127.0.0.1:${port}`;
      bad = makeBitcoindRpc({ url });
      hasty = makeBitcoindRpc({ url, deadlineMs: 300 });
    });
    after(() => {
      server.closeAllConnections();
      server.close();
    });

    const cases: { name: string; answer: typeof answer; words: RegExp; fault: string }[] = [
      { name: "is silent", answer: "silence", words: /did not answer in time/, fault: "away" },
      { name: "falls silent in mid-answer", answer: "stall", words: /did not answer in time/, fault: "away" },
      { name: "hangs up in mid-answer", answer: "half", words: /does not answer/, fault: "away" },
      {
        name: "is overloaded",
        answer: { status: 503, body: "Work queue depth exceeded" },
        words: /overloaded/,
        fault: "away",
      },
      {
        name: "sends us elsewhere",
        answer: { status: 307, body: "{}" },
        words: /redirects to another one/,
        fault: "away",
      },
      {
        name: "answers HTML",
        answer: { status: 200, body: "<html>" },
        words: /not JSON/,
        fault: "malformed",
      },
      {
        name: "answers null",
        answer: { status: 200, body: "null" },
        words: /did not answer every call/,
        fault: "malformed",
      },
      {
        name: "answers neither result nor error",
        answer: { status: 200, body: "{}" },
        words: /no result/,
        fault: "malformed",
      },
      {
        name: "answers an error of another shape",
        answer: { status: 500, body: '{"error":"no"}' },
        words: /malformed error/,
        fault: "malformed",
      },
      {
        name: "answers null for a hash",
        answer: { status: 200, body: '{"result":null,"error":null}' },
        words: /getblockchaininfo is malformed/,
        fault: "malformed",
      },
      {
        name: "is warming up",
        answer: { status: 500, body: '{"error":{"code":-28,"message":"Verifying blocks…"}}' },
        words: /starting: Verifying/,
        fault: "away",
      },
      {
        name: "does not know the method",
        answer: { status: 404, body: '{"error":{"code":-32601,"message":"Method not found"}}' },
        words: /-32601/,
        fault: "away",
      },
    ];
    for (const given of cases)
      it(`${given.name}: NodeUnavailableError, without host or password`, async () => {
        answer = given.answer;
        const mute = answer === "silence" || answer === "stall";
        const error = await unavailable((mute ? hasty : bad).info());
        expect(error.message).to.match(given.words);
        expect(error.fault).to.equal(given.fault);
        expect(error.message).to.not.match(/127\.0\.0\.1|localhost|secret-word/);
      });

    it("leaves a call of a batch out", async () => {
      answer = { status: 200, body: '[{"id":1,"result":"00","error":null}]' };
      expect((await unavailable(bad.mempoolTransactions([UNKNOWN, "22".repeat(32)]))).fault).to.equal(
        "malformed",
      );
    });

    it("answers a batch with one error", async () => {
      answer = { status: 200, body: '{"error":{"code":-32600,"message":"no batches"}}' };
      await unavailable(bad.mempoolTransactions([UNKNOWN]));
    });
  });
});
