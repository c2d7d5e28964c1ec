import { Transaction } from "bitcoinjs-lib";
import { scriptOfAddress } from "../../domain/chain/address";
import type { BitcoinNode } from "../../scripts/devnet/bitcoin/bitcoin-node";
import { callRpc } from "../../scripts/devnet/bitcoin/call-rpc";
import { SimulatedNode } from "../../scripts/devnet/bitcoin/simulated-node";

/** Mines a block that leaves the mempool as it is. */
export async function mineEmpty(node: BitcoinNode): Promise<void> {
  if (node instanceof SimulatedNode) node.core.mineOne(node.core.wallet.rewardScript, []);
  else await node.rpc("generateblock", await node.newAddress(), []);
}

/** A payment that no node would relay, such as dust, in a block that some miner made all the same. Answers the txid. */
export async function mineUnrelayed(node: BitcoinNode, address: string, amountSats: bigint): Promise<string> {
  const script = scriptOfAddress(address, "regtest");
  if (!script) throw new Error(`not a regtest address: ${address}`);
  if (node instanceof SimulatedNode) {
    const { wallet } = node.core;
    const outputs = [{ scriptPubKey: Buffer.from(script), valueSats: amountSats }];
    const feeSats = 10_000n;
    const tx = wallet.fund({ outputs, feeRate: 5, replaceable: true, feeAtLeastSats: feeSats });
    node.core.mineOne(wallet.rewardScript, [{ tx, feeSats }]);
    return tx.getId();
  }
  const draft = new Transaction();
  draft.version = 2;
  draft.addOutput(script, 10_000n); // the wallet refuses to make dust: what is too much becomes fee
  const params = { hexstring: draft.toHex(), options: { fee_rate: 5 }, iswitness: false };
  const { hex } = await callRpc<{ hex: string }>(node.rpcUrl, "fundrawtransaction", params);
  const funded = Transaction.fromHex(hex);
  for (const output of funded.outs)
    if (Buffer.from(script).equals(Buffer.from(output.script))) output.value = amountSats;
  const signed = await node.rpc<{ hex: string }>("signrawtransactionwithwallet", funded.toHex());
  await node.rpc("generateblock", await node.newAddress(), [signed.hex]);
  return Transaction.fromHex(signed.hex).getId();
}
