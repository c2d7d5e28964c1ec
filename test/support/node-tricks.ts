import { Transaction } from "bitcoinjs-lib";
import { scriptOfAddress } from "../../domain/wallet/address";
import type { BitcoinNode, PayTo } from "./devnet/bitcoin-node";
import type { ScriptOutput } from "../../scripts/devnet/bitcoin/customer-wallet";
import { SimulatedNode } from "./devnet/simulated-node";

/** Mines a block that leaves the mempool as it is. */
export async function mineEmpty(node: BitcoinNode): Promise<void> {
  if (node instanceof SimulatedNode) node.core.mineOne(node.core.wallet.rewardScript, []);
  else await node.rpc("generateblock", await node.newAddress(), []);
}

/**
 * Mines one block with a transaction for each list, which pays its outputs from one coin: larger than what nodes relay,
 * as a miner takes it. Answers the txids.
 */
export async function mineOutputs(
  node: BitcoinNode,
  lists: readonly (readonly PayTo[])[],
): Promise<string[]> {
  const outputs = lists.map((list) => list.map(toOutput));
  return node instanceof SimulatedNode ? mineSimulated(node, outputs) : mineReal(node, outputs);
}

const LARGE_FEE_SATS = 2_000_000n;

const sumOf = (outputs: readonly ScriptOutput[]): bigint =>
  outputs.reduce((sum, { valueSats }) => sum + valueSats, 0n);

function toOutput({ address, amountSats }: PayTo): ScriptOutput {
  const scriptPubKey = scriptOfAddress(address, "regtest");
  if (!scriptPubKey) throw new Error(`not a regtest address: ${address}`);
  return { scriptPubKey, valueSats: amountSats };
}

function mineSimulated({ core }: SimulatedNode, lists: readonly ScriptOutput[][]): string[] {
  const coins = core.wallet.spendable();
  const txs = lists.map((outputs, at) => {
    const coin = coins[at];
    if (!coin) throw new Error("the customer has too few coins");
    const feeAtLeastSats = LARGE_FEE_SATS;
    const tx = core.wallet.fund({
      outputs,
      mustSpend: [coin],
      feeRate: 1,
      feeAtLeastSats,
      replaceable: true,
    });
    return { tx, feeSats: LARGE_FEE_SATS };
  });
  core.mineOne(core.wallet.rewardScript, txs);
  return txs.map(({ tx }) => tx.getId());
}

async function mineReal(node: BitcoinNode, lists: readonly ScriptOutput[][]): Promise<string[]> {
  const coins = await node.rpc<{ txid: string; vout: number; amount: number }[]>("listunspent");
  const change = toOutput({ address: await node.newAddress(), amountSats: 0n }).scriptPubKey;
  const signed: string[] = [];
  for (const [at, outputs] of lists.entries()) {
    const coin = coins[at];
    if (!coin) throw new Error("the customer has too few coins");
    const tx = new Transaction();
    tx.version = 2;
    tx.addInput(Buffer.from(coin.txid, "hex").reverse(), coin.vout, 0xfffffffd);
    for (const { scriptPubKey, valueSats } of outputs) tx.addOutput(scriptPubKey, valueSats);
    const inSats = BigInt(Math.round(coin.amount * 1e8));
    tx.addOutput(change, inSats - sumOf(outputs) - LARGE_FEE_SATS);
    signed.push((await node.rpc<{ hex: string }>("signrawtransactionwithwallet", tx.toHex())).hex);
  }
  await node.rpc("generateblock", await node.newAddress(), signed);
  return signed.map((hex) => Transaction.fromHex(hex).getId());
}
