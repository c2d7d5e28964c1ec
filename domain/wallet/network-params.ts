import { networks } from "bitcoinjs-lib";
import type { Network } from "../network";

/** testnet4 and signet share testnet's. */
export type NetworkParams = typeof networks.bitcoin;

const PARAMS: Record<Network, NetworkParams> = {
  mainnet: networks.bitcoin,
  testnet4: networks.testnet,
  signet: networks.testnet,
  regtest: networks.regtest,
};

export function networkParams(network: Network): NetworkParams {
  return PARAMS[network];
}
