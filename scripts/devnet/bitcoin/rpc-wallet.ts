import type { PayTo } from "./bitcoin-node";
import type { NodeCore } from "./node-core";
import { RPC, RpcError } from "./rpc-error";
import { scriptOf, text, toBtc, type Method } from "./rpc-params";

/** The customer's wallet. @param feeRate In sats per vbyte. */
export function walletMethods(core: NodeCore, feeRate: number): Record<string, Method> {
  return {
    getnewaddress: () => core.newAddress().address,
    getbalance: () => toBtc(core.wallet.balanceSats()),
    sendtoaddress: (params) => {
      const scriptPubKey = scriptOf(text(params, 0, "address"));
      const amount = Number(params[1]);
      if (!(amount > 0)) throw new RpcError(RPC.type, "Invalid amount");
      const valueSats = BigInt(Math.round(amount * 1e8));
      const outputs = [{ scriptPubKey, valueSats }];
      return core.broadcast(core.wallet.fund({ outputs, feeRate, replaceable: true }));
    },
  };
}

/** Of bumpfee's options: the outputs to pay instead. */
export function outputsOf(options: unknown): PayTo[] | undefined {
  const { outputs } = (options ?? {}) as { outputs?: Record<string, string | number>[] };
  return outputs?.flatMap((output) =>
    Object.entries(output).map(([address, bitcoins]) => ({
      address,
      amountSats: BigInt(Math.round(Number(bitcoins) * 1e8)),
    })),
  );
}
