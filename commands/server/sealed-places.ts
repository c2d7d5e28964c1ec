import type { SealedPlace } from "../ports";

/** Where sealed values lie. A table's key is `id` in all of them. */
export const SEALED_COLUMNS = [
  { table: "webhooks", column: "secret_encrypted" },
  { table: "webhooks", column: "previous_secret_encrypted" },
  { table: "users", column: "totp_secret_encrypted" },
  { table: "derivations", column: "xpub_encrypted" },
] as const;
type Column = (typeof SEALED_COLUMNS)[number];

function placeIn(column: Column): (row: string) => SealedPlace {
  return (row) => ({ ...column, row });
}

const [SECRET, PREVIOUS_SECRET, TOTP_SECRET, XPUB] = SEALED_COLUMNS;
export const webhookSecretPlace = placeIn(SECRET);
export const previousSecretPlace = placeIn(PREVIOUS_SECRET);
export const totpSecretPlace = placeIn(TOTP_SECRET);
export const xpubPlace = placeIn(XPUB);
