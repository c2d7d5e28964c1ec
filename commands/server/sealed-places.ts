import type { SealedPlace } from "../ports";

export const SEALED_COLUMNS = [
  { table: "webhooks", column: "secret_encrypted" },
  { table: "webhooks", column: "previous_secret_encrypted" },
  { table: "users", column: "totp_secret_encrypted" },
  { table: "wallets", column: "xpub_encrypted" },
  { table: "lightning_nodes", column: "macaroon" },
] as const;
type Column = Readonly<Record<"table" | "column", string>>;

/** A value can be decrypted only under its table's name when it was sealed. */
const SEALED_AS: Readonly<Record<string, string>> = { wallets: "derivations" };

export function sealedPlace({ table, column }: Column, row: string): SealedPlace {
  return { table: SEALED_AS[table] ?? table, column, row };
}

function placeIn(column: Column): (row: string) => SealedPlace {
  return (row) => sealedPlace(column, row);
}

const [SECRET, PREVIOUS_SECRET, TOTP_SECRET, XPUB, MACAROON] = SEALED_COLUMNS;
export const webhookSecretPlace = placeIn(SECRET);
export const previousSecretPlace = placeIn(PREVIOUS_SECRET);
export const totpSecretPlace = placeIn(TOTP_SECRET);
export const xpubPlace = placeIn(XPUB);
export const macaroonPlace = placeIn(MACAROON);
