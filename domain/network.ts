export const NETWORKS = ["mainnet", "testnet4", "signet", "regtest"] as const;
export type Network = (typeof NETWORKS)[number];
