import type { SecretsPort } from "../ports";

/** `path` is below the account key. */
export interface StoredAddress {
  invoiceId: string;
  address: string;
  scriptPubKey: Buffer;
  walletId: string;
  addressIndex: number;
}

export function addressFields(stored: StoredAddress): string[] {
  const { invoiceId, address, scriptPubKey, walletId, addressIndex } = stored;
  return ["address", invoiceId, address, scriptPubKey.toString("hex"), walletId, String(addressIndex)];
}

export interface StoredBolt11 {
  invoiceId: string;
  paymentHash: string;
  bolt11: string;
}

export function bolt11Fields({ invoiceId, paymentHash, bolt11 }: StoredBolt11): string[] {
  return ["bolt11", invoiceId, paymentHash, bolt11];
}

/** With what is stored elsewhere of its destination; null if there is none. */
export interface DestinationRow {
  invoiceId: string;
  type: string;
  destination: string | null;
  mac: Buffer | null;
  scriptPubKey: Buffer | null;
  walletId: string | null;
  addressIndex: number | null;
  paymentHash: string | null;
}

/** Null without a destination, or if not as this service writes it. */
export function destinationFields(row: DestinationRow): string[] | null {
  const { invoiceId, type, destination, scriptPubKey, walletId, addressIndex, paymentHash } = row;
  if (destination === null) return null;
  if (type === "BTC-LN")
    return paymentHash === null ? null : bolt11Fields({ invoiceId, paymentHash, bolt11: destination });
  if (scriptPubKey === null || walletId === null || addressIndex === null) return null;
  return addressFields({ invoiceId, address: destination, scriptPubKey, walletId, addressIndex });
}

/** True without a destination. */
export function isAuthentic(secrets: SecretsPort, row: DestinationRow): boolean {
  if (row.destination === null) return true;
  const fields = destinationFields(row);
  return fields !== null && secrets.macMatches(row.mac, fields);
}
