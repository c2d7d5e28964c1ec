import type { ScriptOutput } from "./customer-wallet";
import type { NodeCore } from "./node-core";
import { RPC, RpcError } from "./rpc-error";
import { scriptOf, text, toBtc, type Method } from "./rpc-params";

const toSats = (bitcoins: number): bigint => BigInt(Math.round(bitcoins * 1e8));

/** The customer's wallet. */
export function walletMethods(core: NodeCore): Record<string, Method> {
  return {
    getnewaddress: () => core.newAddress().address,
    getbalance: () => toBtc(core.wallet.balanceSats()),
    sendtoaddress: (params) => {
      const scriptPubKey = scriptOf(text(params, 0, "address"));
      const amount = Number(params[1]);
      if (!(amount > 0)) throw new RpcError(RPC.type, "Invalid amount");
      return core.pay(scriptPubKey, toSats(amount));
    },
  };
}

/** Of bumpfee's options: the outputs to pay instead. */
export function outputsOf(options: unknown): ScriptOutput[] | undefined {
  const { outputs } = (options ?? {}) as { outputs?: Record<string, string | number>[] };
  return outputs?.flatMap((output) =>
    Object.entries(output).map(([address, bitcoins]) => ({
      scriptPubKey: scriptOf(address),
      valueSats: toSats(Number(bitcoins)),
    })),
  );
}
