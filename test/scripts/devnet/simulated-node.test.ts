import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Block, Transaction } from "bitcoinjs-lib";
import { expect } from "chai";
import { scriptOfAddress } from "../../../domain/wallet/address";
import { RpcError } from "../../../scripts/devnet/bitcoin/rpc-error";
import { SimulatedNode, type SimulatedNodeOptions } from "../../support/devnet/simulated-node";
import { failureOf } from "../../support/refusal";

const SHOP = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";

describe("the simulated node", () => {
  const open: { stop(): Promise<void> }[] = [];
  const dirs: string[] = [];
  const start = async (options: SimulatedNodeOptions = {}): Promise<SimulatedNode> => {
    const node = await SimulatedNode.start(options);
    open.push(node);
    return node;
  };
  const newDir = (): string => {
    const dir = mkdtempSync(path.join(os.tmpdir(), "quittance-devnet-"));
    dirs.push(dir);
    return dir;
  };
  afterEach(async () => {
    for (const node of open.splice(0)) await node.stop();
    for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
  });

  describe("makes real blocks", () => {
    it("with proof of work, merkle root, witness commitment and BIP 34 height", async () => {
      const node = await start();
      await node.pay(SHOP, 1_000n);
      await node.mine(1);
      for (const height of [1, 16, 17, 150, 151]) {
        const hash = await node.rpc<string>("getblockhash", height);
        const block = Block.fromHex(await node.rpc<string>("getblock", hash, 0));
        expect(block.checkProofOfWork()).to.equal(true);
        expect(block.checkTxRoots()).to.equal(true);
        expect(block.hasWitnessCommit()).to.equal(true);
        const [first, second] = block.transactions?.[0]?.ins[0]?.script ?? [];
        if (height <= 16) expect(first).to.equal(0x50 + height);
        else expect(second).to.equal(height & 0xff);
      }
    });

    it("whose coinbase takes subsidy and fees, and no more", async () => {
      const node = await start();
      const txid = await node.pay(SHOP, 1_000n);
      const { fees } = await node.rpc<{ fees: { base: number } }>("getmempoolentry", txid);
      const [hash = ""] = await node.mine(1);
      const [coinbase] = Block.fromHex(await node.rpc<string>("getblock", hash, 0)).transactions ?? [];
      const reward = coinbase?.outs.reduce((sum, { value }) => sum + value, 0n);
      expect(reward).to.equal(2_500_000_000n + BigInt(Math.round(fees.base * 1e8)));
    });
  });

  describe("keeps its folder", () => {
    it("with chain, mempool, coins and addresses", async () => {
      const dataDir = newDir();
      const first = await start({ dataDir });
      const address = await first.newAddress();
      await first.mine(2);
      await first.reorg(1);
      const txid = await first.pay(SHOP, 5_000n);
      const before = await first.rpc("getblockchaininfo");
      const balance = await first.rpc("getbalance");
      await first.stop();
      const second = await start({ dataDir });
      expect(await second.rpc("getblockchaininfo")).to.deep.equal(before);
      expect(await second.rpc("getbalance")).to.equal(balance);
      expect(await second.rpc("getrawmempool")).to.deep.equal([txid]);
      expect(await second.newAddress()).not.to.equal(address);
      await second.mine(1);
      expect(await second.rpc("getrawmempool")).to.deep.equal([]);
    });

    it("and drops a line that was truncated when the process died", async () => {
      const dataDir = newDir();
      const first = await start({ dataDir });
      await first.mine(1);
      const tip = await first.rpc("getbestblockhash");
      await first.stop();
      appendFileSync(path.join(dataDir, "blocks.hex"), "00000020ab");
      appendFileSync(path.join(dataDir, "mempool.hex"), "0200");
      const second = await start({ dataDir });
      expect(await second.rpc("getbestblockhash")).to.equal(tip);
      const [next] = await second.mine(1);
      await second.stop();
      const third = await start({ dataDir });
      expect(await third.rpc("getbestblockhash")).to.equal(next);
    });

    it("without what was replaced, dropped or mined", async () => {
      const dataDir = newDir();
      const first = await start({ dataDir });
      const [mined, replaced, dropped] = [
        await first.pay(SHOP, 5_000n),
        await first.pay(SHOP, 6_000n),
        await first.pay(SHOP, 7_000n),
      ];
      const replacement = await first.bump(replaced);
      await first.dropFromMempool(dropped);
      await first.reorg(1, { exclude: [replacement] });
      expect(await first.rpc("getrawmempool")).to.deep.equal([replacement]);
      await first.stop();
      const second = await start({ dataDir });
      expect(await second.rpc("getrawmempool")).to.deep.equal([replacement]);
      expect(mined).not.to.equal(replacement);
    });
  });

  describe("refuses as bitcoind does", () => {
    it("to replace without a signal when full RBF is off", async () => {
      const node = await start({ fullRbf: false });
      const txid = await node.pay(SHOP, 5_000n, { replaceable: false });
      const error = await failureOf(node.bump(txid), RpcError);
      expect([error.code, error.message]).to.deep.equal([-26, "txn-mempool-conflict"]);
      const signalling = await node.pay(SHOP, 5_000n);
      expect(await node.bump(signalling)).to.have.length(64);
      const third = await node.pay(SHOP, 5_000n, { replaceable: false, version: 3 });
      expect(await node.bump(third)).to.have.length(64);
    });

    it("a fee below its minimum, dust, and more than there is", async () => {
      const node = await start();
      expect(await failureOf(node.pay(SHOP, 5_000n, { feeRate: 0.5 }), RpcError)).to.include({ code: -26 });
      expect(await failureOf(node.pay(SHOP, 293n), RpcError)).to.include({ code: -26, message: "dust" });
      expect(await failureOf(node.pay(SHOP, 10n ** 15n), RpcError)).to.include({ code: -6 });
      expect(await node.pay(SHOP, 294n)).to.have.length(64);
    });

    it("a replacement that pays too little", async () => {
      const node = await start();
      const txid = await node.pay(SHOP, 5_000n);
      const hex = await node.rpc<string>("getrawtransaction", txid);
      const tx = Transaction.fromHex(hex);
      const shop = scriptOfAddress(SHOP, "regtest") ?? Buffer.alloc(0);
      const change = tx.outs.find(({ script }) => !shop.equals(script));
      if (!change) throw new Error("no change");
      change.value -= 1n;
      expect(await failureOf(node.rpc("sendrawtransaction", tx.toHex()), RpcError)).to.include({ code: -26 });
      change.value += 10_000n;
      expect(await failureOf(node.rpc("sendrawtransaction", tx.toHex()), RpcError)).to.include({
        code: -26,
        message: "bad-txns-in-belowout",
      });
    });

    it("a coinbase that is younger than 100 blocks", async () => {
      const node = await start();
      const block = Block.fromHex(
        await node.rpc<string>("getblock", await node.rpc<string>("getblockhash", 52), 0),
      );
      const coinbase = block.transactions?.[0];
      if (!coinbase) throw new Error("no coinbase");
      const tx = new Transaction();
      tx.addInput(coinbase.getHash(), 0);
      tx.addOutput(scriptOfAddress(SHOP, "regtest") ?? Buffer.alloc(0), 1_000n);
      const error = await failureOf(node.rpc("sendrawtransaction", tx.toHex()), RpcError);
      expect([error.code, error.message]).to.deep.equal([-26, "bad-txns-premature-spend-of-coinbase"]);
      await node.mine(1);
      expect(await node.rpc("sendrawtransaction", tx.toHex())).to.equal(tx.getId());
      // A reorganisation makes it too young again.
      await node.rpc("invalidateblock", await node.rpc("getbestblockhash"));
      expect(await node.rpc("getrawmempool")).to.deep.equal([]);
    });
  });
});
