import type { SecretsPort } from "../ports";

/** An address with its path below the account key, and the script by which payments to it are found. */
export interface StoredAddress {
  invoiceId: string;
  address: string;
  scriptPubKey: Buffer;
  walletId: string;
  addressIndex: number;
}

/** An address that differs in any of these was not written by this service. */
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

/**
 * A row of an invoice's payment methods, with the data of its destination that is stored elsewhere; null if there
 * is none.
 */
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

/** Null without a destination, or if it is not as this service writes it. */
export function destinationFields(row: DestinationRow): string[] | null {
  const { invoiceId, type, destination, scriptPubKey, walletId, addressIndex, paymentHash } = row;
  if (destination === null) return null;
  if (type === "BTC-LN")
    return paymentHash === null ? null : bolt11Fields({ invoiceId, paymentHash, bolt11: destination });
  if (scriptPubKey === null || walletId === null || addressIndex === null) return null;
  return addressFields({ invoiceId, address: destination, scriptPubKey, walletId, addressIndex });
}

/** Whether this service wrote the row's destination; true if there is none. */
export function isAuthentic(secrets: SecretsPort, row: DestinationRow): boolean {
  if (row.destination === null) return true;
  const fields = destinationFields(row);
  return fields !== null && secrets.macMatches(row.mac, fields);
}
