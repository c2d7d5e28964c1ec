/** A refusal with bitcoind's own code. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** bitcoind's codes (src/rpc/protocol.h) that this node answers with. */
export const RPC = {
  misc: -1,
  type: -3,
  notFound: -5,
  insufficientFunds: -6,
  invalidParameter: -8,
  deserialization: -22,
  missingInputs: -25,
  rejected: -26,
  alreadyInChain: -27,
  warmUp: -28,
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
} as const;
