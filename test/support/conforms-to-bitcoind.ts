import { Transaction } from "bitcoinjs-lib";
import { expect } from "chai";
import { makeBitcoindRpc, type BitcoindRpc } from "../../adapters/bitcoind/rpc";
import { decodeBlock } from "../../domain/chain/decode-block";
import { decodeTx, parseOutpoint } from "../../domain/chain/decode-tx";
import type { BitcoinNode } from "./devnet/bitcoin-node";
import { RpcError } from "../../scripts/devnet/bitcoin/rpc-error";
import { eventually } from "./eventually";
import { ZmqRecorder } from "./zmq-recorder";
import { failureOf } from "./refusal";

/** Addresses that are not the customer's (BIP 173 and 350 vectors' programs on regtest). */
const SHOP = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";
const OTHER_SHOP = "bcrt1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqc8gma6";
const UNKNOWN = "11".repeat(32);

/** What our service relies on in a node: run against the simulated node and against a real bitcoind. */
export function conformsToBitcoind(startNode: (options?: { empty?: boolean }) => Promise<BitcoinNode>): void {
  let node: BitcoinNode;
  let chain: BitcoindRpc;
  let zmq: ZmqRecorder;

  before(async function () {
    this.timeout(120_000);
    node = await startNode();
    chain = makeBitcoindRpc({ url: node.rpcUrl });
    zmq = new ZmqRecorder([node.zmqUrls.rawtx, node.zmqUrls.hashblock]);
    await untilHeard();
  });
  after(async () => {
    await zmq.close();
    await node.stop();
  });

  const tip = (): Promise<string> => node.rpc<string>("getbestblockhash");
  const height = (): Promise<number> => node.rpc<number>("getblockcount");
  const mempool = async (): Promise<string[]> => (await node.rpc<string[]>("getrawmempool")).sort();
  const raw = (txid: string): Promise<string> => node.rpc<string>("getrawtransaction", txid);
  /** Mines until both topics are heard. */
  const untilHeard = async (): Promise<void> => {
    await eventually(async () => {
      await node.mine(1);
      expect(zmq.messages.map(({ topic }) => topic))
        .to.include("rawtx")
        .and.include("hashblock");
    });
    await untilQuiet();
  };
  /** Mines a block and waits for it on both topics: all that was sent before has come too. The mempool is empty then. */
  const untilQuiet = async (): Promise<void> => {
    const [hash = ""] = await node.mine(1);
    const block = decodeBlock((await chain.rawBlock(hash)) ?? Buffer.alloc(0));
    await eventually(() => {
      expect(zmq.bodies("hashblock")).to.include(hash);
      expect(zmq.bodies("rawtx")).to.include.members(block.txs.map((tx) => tx.bytes.toString("hex")));
    });
    zmq.clear();
  };
  const http = (body: unknown, password?: string): Promise<Response> => {
    const url = new URL(node.rpcUrl);
    const credentials = Buffer.from(`${url.username}:${password ?? url.password}`).toString("base64");
    return fetch(url.origin, {
      method: "POST",
      headers: { authorization: `Basic ${credentials}` },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  };

  describe("RPC", () => {
    it("refuses a wrong password with 401", async () => {
      expect((await http({ method: "uptime" }, "wrong")).status).to.equal(401);
    });

    it("answers an unknown method with -32601 and HTTP 404", async () => {
      const first = await http({ id: 7, method: "nonsense", params: [] });
      expect(first.status).to.equal(404);
      const answer = (await first.json()) as { error: { code: number } };
      expect(answer).to.deep.include({ result: null, id: 7 });
      expect(answer.error.code).to.equal(-32601);
    });

    it("answers other refusals with HTTP 500, and what is no JSON with -32700", async () => {
      expect((await http({ id: 1, method: "getblockhash", params: [99_999] })).status).to.equal(500);
      const answer = await http("{");
      expect(answer.status).to.equal(500);
      expect(((await answer.json()) as { error: { code: number } }).error.code).to.equal(-32700);
    });

    it("answers each call of a batch", async () => {
      const response = await http([
        { id: 1, method: "getblockhash", params: [0] },
        { id: 2, method: "getblockhash", params: [99_999] },
        { id: 3, method: "getblockcount", params: [] },
      ]);
      const answers = (await response.json()) as {
        id: number;
        error: { code: number } | null;
        result: unknown;
      }[];
      expect(answers.map(({ id }) => id)).to.deep.equal([1, 2, 3]);
      expect(answers.map(({ error }) => error?.code ?? null)).to.deep.equal([null, -8, null]);
      expect(answers[0]?.result).to.equal("0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206");
    });

    it("refuses wrong arguments by code", async () => {
      const cases: [number, string, ...unknown[]][] = [
        [-8, "getblockhash", -1],
        [-8, "getblockhash", 99_999],
        [-3, "getblockhash", "1"],
        [-5, "getblockheader", UNKNOWN],
        [-8, "getblockheader", "11"],
        [-5, "getblock", UNKNOWN, 0],
        [-5, "getmempoolentry", UNKNOWN],
        [-5, "getmempoolancestors", UNKNOWN],
        [-5, "getrawtransaction", UNKNOWN],
        [-5, "getrawtransaction", UNKNOWN, false, UNKNOWN],
        [-22, "sendrawtransaction", "00"],
        [-22, "sendrawtransaction", "zz"],
        [-5, "invalidateblock", UNKNOWN],
        [-5, "generatetoaddress", 1, "nonsense"],
      ];
      for (const [code, method, ...params] of cases) {
        const error = await failureOf(node.rpc(method, ...params), RpcError);
        expect(error.code, `${method} ${JSON.stringify(params)}: ${error.message}`).to.equal(code);
      }
    });

    it("reports its version and where it publishes", async () => {
      const notifications = await chain.zmqNotifications();
      expect(notifications.map(({ type, address }) => [type, address])).to.have.deep.members([
        ["pubrawtx", node.zmqUrls.rawtx],
        ["pubhashblock", node.zmqUrls.hashblock],
      ]);
      expect(await chain.mempoolLoaded()).to.equal(true);
      expect(await node.rpc("uptime")).to.be.a("number");
      expect(await node.rpc("getnetworkinfo")).to.include.keys("version", "subversion");
      expect(await node.rpc("getmempoolinfo")).to.include.keys("loaded", "size", "mempoolminfee");
    });
  });

  describe("blocks", () => {
    it("are the same by every method", async () => {
      await node.mine(1);
      const paid = await node.pay(SHOP, 10_000n);
      const [hash = ""] = await node.mine(1);
      const info = await chain.info();
      expect(info).to.deep.include({
        chain: "regtest",
        blocks: await height(),
        headers: await height(),
        bestBlockHash: hash,
        initialBlockDownload: false,
        pruneHeight: 0,
        tipTimeSeconds: (await chain.blockHeader(hash))?.timeSeconds,
      });
      expect(await chain.blockHash(info.blocks)).to.equal(hash);
      expect(await chain.blockHash(info.blocks + 1)).to.equal(null);
      const block = decodeBlock((await chain.rawBlock(hash)) ?? Buffer.alloc(0));
      expect(block.hash).to.equal(hash);
      expect(block.txs.map(({ txid }) => txid))
        .to.include(paid)
        .and.have.length(2);
      expect(await chain.blockHeader(hash)).to.deep.equal({
        hash,
        height: info.blocks,
        previousHash: block.previousHash,
        timeSeconds: block.timeSeconds,
        inActiveChain: true,
      });
    });

    it("begin with regtest's first, which has no parent", async () => {
      const genesis = await chain.blockHeader((await chain.blockHash(0)) ?? "");
      expect(genesis).to.deep.include({ height: 0, previousHash: null, timeSeconds: 1_296_688_602 });
    });

    it("give their transactions without a transaction index", async () => {
      const txid = await node.pay(SHOP, 11_000n);
      const hex = await raw(txid);
      const [hash = ""] = await node.mine(1);
      expect((await failureOf(raw(txid), RpcError)).code).to.equal(-5);
      expect(await node.rpc("getrawtransaction", txid, false, hash)).to.equal(hex);
      const genesis = await chain.blockHash(0);
      expect((await failureOf(node.rpc("getrawtransaction", txid, false, genesis), RpcError)).code).to.equal(
        -5,
      );
    });
  });

  describe("the mempool", () => {
    it("lists a payment, and what it spends", async () => {
      const before = Math.floor(Date.now() / 1000);
      const txid = await node.pay(SHOP, 12_345n);
      const after = Math.floor(Date.now() / 1000);
      const hex = await raw(txid);
      const tx = decodeTx(Buffer.from(hex, "hex"));
      expect(tx.txid).to.equal(txid);
      expect(tx.outputs.map(({ valueSats }) => valueSats)).to.include(12_345n);
      expect(tx.signalsReplaceability).to.equal(true);
      expect(await mempool()).to.deep.equal([txid]);
      const entry = await chain.mempoolEntry(txid);
      expect(entry?.timeSeconds).to.be.within(before - 2, after + 2);
      expect(await node.rpc("getmempoolentry", txid)).to.deep.include({
        ancestorcount: 1,
        descendantcount: 1,
        depends: [],
        "bip125-replaceable": true,
      });
      expect(await chain.mempoolAncestors(txid)).to.deep.equal([]);
      const spent = tx.inputs.map(({ outpoint }) => parseOutpoint(outpoint));
      const spenders = await chain.mempoolSpenders([...spent, { txid, vout: 0 }]);
      expect([...spenders]).to.deep.equal(spent.map((at) => [`${at.txid}:${at.vout}`, txid]));
      expect([...(await chain.mempoolTransactions([txid, UNKNOWN]))]).to.deep.equal([
        [txid, Buffer.from(hex, "hex")],
      ]);
      await node.mine(1);
    });

    it("shows a transaction in a block without an index, and no other", async () => {
      const txid = await node.pay(SHOP, 13_500n);
      const bytes = Buffer.from(await raw(txid), "hex");
      expect(await chain.minedTransaction(txid)).to.equal(null);
      await node.mine(3);
      expect(await chain.minedTransaction(txid)).to.deep.equal({ raw: bytes });
      expect(await chain.minedTransaction(UNKNOWN)).to.equal(null);
    });

    it("accepts a transaction again that it has, and says when it is in a block", async () => {
      const txid = await node.pay(SHOP, 13_000n);
      const hex = await raw(txid);
      expect(await node.rpc("sendrawtransaction", hex)).to.equal(txid);
      expect(await chain.broadcast(Buffer.from(hex, "hex"))).to.deep.equal({ outcome: "accepted" });
      await node.mine(1);
      expect((await failureOf(node.rpc("sendrawtransaction", hex), RpcError)).code).to.equal(-27);
      expect(await chain.broadcast(Buffer.from(hex, "hex"))).to.deep.equal({ outcome: "in-chain" });
    });

    it("refuses a spend of unknown coins", async () => {
      const tx = new Transaction();
      tx.addInput(Buffer.alloc(32, 0x11), 0);
      tx.addOutput(Buffer.from("0014".padEnd(44, "1"), "hex"), 10_000n);
      const error = await failureOf(node.rpc("sendrawtransaction", tx.toHex()), RpcError);
      expect(error.code).to.equal(-25);
      expect(error.message).to.include("missingorspent");
      expect(await chain.broadcast(Buffer.from(tx.toBuffer()))).to.include({
        outcome: "refused",
        meaning: "inputs-missing",
      });
    });

    it("lists an unconfirmed payment's ancestors, and removes it with them", async () => {
      const parent = await node.pay(await node.newAddress(), 500_000n);
      const child = await node.pay(SHOP, 100_000n, { spending: parent, replaceable: false });
      const rawChild = Buffer.from(await raw(child), "hex");
      expect(await chain.mempoolEntry(parent)).to.include({ hasUnconfirmedParents: false });
      expect(await chain.mempoolEntry(child)).to.include({ hasUnconfirmedParents: true });
      expect(await chain.mempoolAncestors(child)).to.deep.equal([parent]);
      expect(await chain.broadcast(rawChild)).to.deep.equal({ outcome: "accepted" });
      const elsewhere = { to: [{ address: await node.newAddress(), amountSats: 400_000n }] };
      const replacement = await node.bump(parent, elsewhere);
      expect(await mempool()).to.deep.equal([replacement]);
      expect(await chain.mempoolEntry(child)).to.equal(null);
      expect(await chain.broadcast(rawChild)).to.include({ outcome: "refused", meaning: "inputs-missing" });
      await node.mine(1);
    });

    it("holds a transaction that does not signal BIP 125", async () => {
      const txid = await node.pay(SHOP, 14_000n, { replaceable: false });
      expect(decodeTx(Buffer.from(await raw(txid), "hex")).signalsReplaceability).to.equal(false);
      await node.mine(1);
    });

    it("pays a requested fee rate, and several outputs in one transaction", async () => {
      const outputs = [
        { address: SHOP, amountSats: 1_000n },
        { address: OTHER_SHOP, amountSats: 2_000n },
        { address: SHOP, amountSats: 3_000n },
      ];
      const txid = await node.payMany(outputs, { feeRate: 20 });
      const entry = await node.rpc<{ vsize: number; fees: { base: number } }>("getmempoolentry", txid);
      expect((entry.fees.base * 1e8) / entry.vsize).to.be.within(19.5, 22);
      const paid = decodeTx(Buffer.from(await raw(txid), "hex")).outputs.map(({ valueSats }) => valueSats);
      expect(paid).to.include.members([1_000n, 2_000n, 3_000n]);
      await node.mine(1);
    });
  });

  describe("replacement", () => {
    it("removes the old transaction, and refuses it when it comes again", async () => {
      const old = await node.pay(SHOP, 20_000n);
      const hex = await raw(old);
      const replacement = await node.bump(old);
      expect(await mempool()).to.deep.equal([replacement]);
      expect((await failureOf(node.rpc("getmempoolentry", old), RpcError)).code).to.equal(-5);
      const [input] = decodeTx(Buffer.from(hex, "hex")).inputs;
      if (!input) throw new Error("no input");
      const at = parseOutpoint(input.outpoint);
      expect((await chain.mempoolSpenders([at])).get(`${at.txid}:${at.vout}`)).to.equal(replacement);
      const paid = decodeTx(Buffer.from(await raw(replacement), "hex")).outputs;
      expect(paid.map(({ valueSats }) => valueSats)).to.include(20_000n);
      const error = await failureOf(node.rpc("sendrawtransaction", hex), RpcError);
      expect(error.code).to.equal(-26);
      expect(error.message).to.match(/insufficient fee|conflict/);
      await node.mine(1);
      expect((await failureOf(node.rpc("sendrawtransaction", hex), RpcError)).code).to.equal(-25);
    });

    it("may pay another address, and needs no signal", async () => {
      const old = await node.pay(SHOP, 21_000n, { replaceable: false });
      const replacement = await node.bump(old, { to: [{ address: OTHER_SHOP, amountSats: 5_000n }] });
      const paid = decodeTx(Buffer.from(await raw(replacement), "hex")).outputs.map(
        ({ valueSats }) => valueSats,
      );
      expect(paid).to.include(5_000n).and.not.to.include(21_000n);
      expect(await mempool()).to.deep.equal([replacement]);
      await node.mine(1);
    });

    it("needs no signal of a transaction of version 3", async () => {
      const old = await node.pay(SHOP, 21_500n, { replaceable: false, version: 3 });
      const tx = decodeTx(Buffer.from(await raw(old), "hex"));
      expect(tx.inputs.every(({ sequence }) => sequence === 0xffff_fffe)).to.equal(true);
      expect(tx.signalsReplaceability).to.equal(true);
      const replacement = await node.bump(old, { to: [{ address: OTHER_SHOP, amountSats: 5_000n }] });
      expect(await mempool()).to.deep.equal([replacement]);
      await node.mine(1);
    });

    it("by a block removes the transaction", async () => {
      const txid = await node.pay(SHOP, 22_000n);
      const hex = await raw(txid);
      const conflict = await node.doubleSpend(txid);
      expect(await mempool()).to.deep.equal([]);
      const block = decodeBlock((await chain.rawBlock(await tip())) ?? Buffer.alloc(0));
      expect(block.txs.map((tx) => tx.txid))
        .to.include(conflict)
        .and.not.to.include(txid);
      expect((await failureOf(node.rpc("sendrawtransaction", hex), RpcError)).code).to.equal(-25);
    });
  });

  describe("ZMQ", () => {
    it("publishes a transaction at acceptance and again in its block, then the new tip", async () => {
      await untilQuiet();
      const txid = await node.pay(SHOP, 30_000n);
      const hex = await raw(txid);
      await eventually(() => expect(zmq.bodies("rawtx")).to.deep.equal([hex]));
      expect(zmq.bodies("hashblock")).to.deep.equal([]);
      zmq.clear();
      const [hash = ""] = await node.mine(1);
      const block = decodeBlock((await chain.rawBlock(hash)) ?? Buffer.alloc(0));
      await eventually(() => {
        expect(zmq.bodies("hashblock")).to.deep.equal([hash]);
        expect(zmq.bodies("rawtx")).to.deep.equal(block.txs.map((tx) => tx.bytes.toString("hex")));
      });
    });

    it("counts each topic separately, without gaps", async () => {
      await untilQuiet();
      await node.pay(SHOP, 31_000n);
      await node.pay(SHOP, 32_000n);
      await node.mine(2);
      await eventually(() => expect(zmq.messages).to.have.length(2 + 4 + 2));
      for (const topic of ["rawtx", "hashblock"]) {
        const counters = zmq.messages
          .filter((message) => message.topic === topic)
          .map(({ sequence }) => sequence);
        expect(counters).to.deep.equal(counters.map((_, i) => (counters[0] ?? 0) + i));
      }
    });

    it("publishes every transaction of a disconnected block, but no new tip", async () => {
      const txid = await node.pay(SHOP, 33_000n);
      const hex = await raw(txid);
      const [hash = ""] = await node.mine(1);
      await eventually(() => {
        expect(zmq.bodies("hashblock")).to.include(hash);
        expect(zmq.bodies("rawtx").filter((body) => body === hex)).to.have.length(2);
      });
      const block = decodeBlock((await chain.rawBlock(hash)) ?? Buffer.alloc(0));
      const heightBefore = await height();
      zmq.clear();
      await node.rpc("invalidateblock", hash);
      expect(await height()).to.equal(heightBefore - 1);
      expect(await mempool()).to.deep.equal([txid]);
      await eventually(() => {
        expect(zmq.bodies("rawtx")).to.include.members(block.txs.map((tx) => tx.bytes.toString("hex")));
        // Once for the block, and once because it is in the mempool again.
        expect(zmq.bodies("rawtx").filter((body) => body === hex)).to.have.length(2);
      });
      expect(zmq.bodies("hashblock")).to.deep.equal([]);
      expect(await chain.blockHeader(hash)).to.include({ inActiveChain: false });
      zmq.clear();
      await node.rpc("reconsiderblock", hash);
      expect(await tip()).to.equal(hash);
      expect(await mempool()).to.deep.equal([]);
      await eventually(() => expect(zmq.bodies("hashblock")).to.deep.equal([hash]));
    });
  });

  describe("a reorganisation", () => {
    it("replaces blocks and keeps what was confirmed", async () => {
      const txid = await node.pay(SHOP, 40_000n);
      const before = await height();
      const [lost = "", last = ""] = await node.mine(2);
      await eventually(() => expect(zmq.bodies("hashblock")).to.include(last));
      zmq.clear();
      const hashes = await node.reorg(2);
      expect(hashes).to.have.length(3);
      expect(await tip()).to.equal(hashes.at(-1));
      expect(await height()).to.equal(before + 3);
      expect(await chain.blockHash(before + 1)).to.equal(hashes[0]);
      expect(await node.rpc("getblockheader", lost)).to.include({ confirmations: -1, height: before + 1 });
      expect(await chain.rawBlock(lost)).to.be.instanceOf(Buffer);
      const block = decodeBlock((await chain.rawBlock(hashes[0] ?? "")) ?? Buffer.alloc(0));
      expect(block.txs.map((tx) => tx.txid)).to.include(txid);
      expect(await mempool()).to.deep.equal([]);
      await eventually(() => expect(zmq.bodies("hashblock")).to.deep.equal(hashes));
    });

    it("leaves out excluded transactions, which wait in the mempool", async () => {
      const [kept, excluded] = [await node.pay(SHOP, 41_000n), await node.pay(SHOP, 42_000n)];
      await node.mine(1);
      const [first = ""] = await node.reorg(1, { exclude: [excluded] });
      const block = decodeBlock((await chain.rawBlock(first)) ?? Buffer.alloc(0));
      expect(block.txs.map((tx) => tx.txid))
        .to.include(kept)
        .and.not.to.include(excluded);
      expect(await mempool()).to.deep.equal([excluded]);
      await node.mine(1);
      expect(await mempool()).to.deep.equal([]);
    });

    it("may confirm a double spend", async () => {
      const txid = await node.pay(SHOP, 43_000n);
      const hex = await raw(txid);
      await node.mine(1);
      const [first = ""] = await node.reorg(1, { doubleSpend: [txid] });
      const block = decodeBlock((await chain.rawBlock(first)) ?? Buffer.alloc(0));
      expect(block.txs).to.have.length(2);
      expect(block.txs.map((tx) => tx.txid)).not.to.include(txid);
      expect(await mempool()).to.deep.equal([]);
      expect((await failureOf(node.rpc("sendrawtransaction", hex), RpcError)).code).to.equal(-25);
    });
  });

  describe("lost data", () => {
    it("allows a dropped transaction again", async function () {
      this.timeout(60_000);
      const [dropped, other] = [await node.pay(SHOP, 50_000n), await node.pay(SHOP, 51_000n)];
      const hex = await raw(dropped);
      await node.dropFromMempool(dropped);
      expect(await mempool()).to.deep.equal([other]);
      expect(await node.rpc("sendrawtransaction", hex)).to.equal(dropped);
      expect(await mempool()).to.deep.equal([dropped, other].sort());
      await node.mine(1);
    });

    it("leaves chain and mempool after a restart, at the same addresses", async function () {
      this.timeout(60_000);
      const [hash = ""] = await node.mine(1);
      const txid = await node.pay(SHOP, 52_000n);
      const urls = { rpc: node.rpcUrl, ...node.zmqUrls };
      await node.restart();
      expect({ rpc: node.rpcUrl, ...node.zmqUrls }).to.deep.equal(urls);
      expect(await tip()).to.equal(hash);
      await eventually(async () => expect(await mempool()).to.deep.equal([txid]));
      zmq.clear();
      await untilHeard();
    });
  });

  describe("peers", () => {
    let other: BitcoinNode;
    let otherChain: BitcoindRpc;
    beforeEach(async function () {
      this.timeout(60_000);
      await node.mine(1);
      other = await startNode({ empty: true });
      otherChain = makeBitcoindRpc({ url: other.rpcUrl });
    });
    afterEach(async () => {
      await other.stop();
      await eventually(async () => expect((await chain.connectivity()).peers).to.deep.equal([]));
    });
    const connected = async (): Promise<void> => {
      await other.connect(node);
      await eventually(
        async () => expect((await otherChain.info()).bestBlockHash).to.equal(await tip()),
        30_000,
      );
    };
    const mempoolOfOther = (): Promise<string[]> => otherChain.mempoolTxids();

    it("send their blocks and new transactions, but none from before the connection", async function () {
      this.timeout(60_000);
      const old = await node.pay(SHOP, 60_000n);
      await connected();
      const fresh = await node.pay(SHOP, 61_000n);
      await eventually(async () => expect(await mempoolOfOther()).to.include(fresh), 30_000);
      expect(await mempoolOfOther()).not.to.include(old);
      await node.mine(1);
      await eventually(
        async () => expect((await otherChain.info()).bestBlockHash).to.equal(await tip()),
        30_000,
      );
      expect(await mempoolOfOther()).to.deep.equal([]);
    });

    it("are listed with the headers that they sent, or none", async function () {
      this.timeout(60_000);
      expect((await otherChain.connectivity()).peers).to.deep.equal([]);
      await connected();
      await eventually(async () => {
        const { peers, relaysTransactions } = await otherChain.connectivity();
        expect(relaysTransactions).to.equal(true);
        expect(peers).to.have.length(1);
        expect(peers[0]).to.include({ relaysTransactions: true, syncedHeaders: await height() });
      });
      const { peers } = await chain.connectivity();
      expect(peers).to.have.length(1);
      expect(peers[0]).to.include({ relaysTransactions: true, syncedHeaders: -1 });
      await other.disconnect();
      await eventually(async () => expect((await otherChain.connectivity()).peers).to.deep.equal([]));
    });

    it("are gone after a restart; the uptime starts at 0, and the mempool stays or is lost", async function () {
      this.timeout(60_000);
      await connected();
      const txid = await node.pay(SHOP, 62_000n);
      await eventually(async () => expect(await mempoolOfOther()).to.deep.equal([txid]), 30_000);
      await eventually(async () => expect(await otherChain.uptimeSeconds()).to.be.at.least(2));
      await other.halt();
      const halted = performance.now();
      await other.restart();
      const uptimeSeconds = await otherChain.uptimeSeconds();
      expect(uptimeSeconds).to.be.at.most(Math.ceil((performance.now() - halted) / 1_000));
      expect((await otherChain.connectivity()).peers).to.deep.equal([]);
      await eventually(async () => expect(await mempoolOfOther()).to.deep.equal([txid]));
      await other.restart({ mempool: false });
      await connected();
      expect(await mempoolOfOther()).to.deep.equal([]);
      await node.mine(1);
    });
  });

  describe("a customer's change", () => {
    it("can be spent before it confirms, and its ancestors are known", async function () {
      this.timeout(60_000);
      await node.mine(1);
      const parent = await node.pay(SHOP, 5_000_000n);
      const child = await node.pay(SHOP, 1_000n, { spending: parent });
      expect(await chain.mempoolAncestors(child)).to.deep.equal([parent]);
      expect(await node.rpc("getmempoolentry", child)).to.deep.include({
        ancestorcount: 2,
        depends: [parent],
      });
      expect(await node.rpc("getmempoolentry", parent)).to.include({ descendantcount: 2 });
      const replacement = await node.bump(parent);
      expect(await mempool()).to.deep.equal([replacement]);
    });
  });
}
