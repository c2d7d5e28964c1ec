import { scriptOfAddress } from "../../../domain/wallet/address";
import { RPC, RpcError } from "./rpc-error";

export type Params = readonly unknown[];
export type Method = (params: Params) => unknown;

/** Sats as bitcoind prints them: a JSON number of bitcoins. */
export const toBtc = (sats: bigint): number => Number(sats) / 1e8;

export function text(params: Params, at: number, name: string): string {
  const value = params[at];
  if (typeof value !== "string") throw new RpcError(RPC.type, `${name} must be a string`);
  return value;
}

export function integer(params: Params, at: number, name: string): number {
  const value = params[at];
  if (typeof value !== "number" || !Number.isInteger(value)) {
    throw new RpcError(RPC.type, `${name} must be an integer`);
  }
  return value;
}

export function hash(params: Params, at: number, name: string): string {
  const value = text(params, at, name);
  if (!/^[0-9a-f]{64}$/i.test(value)) {
    throw new RpcError(
      RPC.invalidParameter,
      `${name} must be of length 64 (not ${value.length}, for '${value}')`,
    );
  }
  return value.toLowerCase();
}

export function scriptOf(address: string): Buffer {
  const script = scriptOfAddress(address, "regtest");
  if (script === null) throw new RpcError(RPC.notFound, "Invalid address");
  return script;
}
