import { randomBytes } from "node:crypto";
import { apiKeyText, parseApiKey } from "../../domain/api-key";
import { queryOnce } from "./servers";
import type { Service, Store } from "./service";

/**
 * Copies a store that has a wallet and one webhook: each copy has a key and a webhook of its own, to `urlOf(number)`.
 * By SQL, since a thousand over the API would take minutes.
 */
export async function copyStore(
  { databaseUrl }: Service,
  { storeId }: Store,
  count: number,
  urlOf: (number: number) => string,
): Promise<Store[]> {
  const numbers = Array.from({ length: count }, (_, number) => number);
  const copies = numbers.map((number) => {
    const apiKey = apiKeyText("regtest", randomBytes(32));
    const hash = parseApiKey(apiKey)?.hash ?? Buffer.alloc(0);
    return { storeId: `copy${number}`, apiKey, hash: hash.toString("hex"), url: urlOf(number) };
  });
  await copyRows(databaseUrl, "stores", "id", storeId, copies, { id: "c.id" });
  await copyRows(databaseUrl, "store_payment_methods", "store_id", storeId, copies, { store_id: "c.id" });
  await copyRows(databaseUrl, "api_keys", "store_id", storeId, copies, {
    ...{ id: "'key_' || c.id", store_id: "c.id", hash: "decode(c.hash, 'hex')" },
  });
  await copyRows(databaseUrl, "webhooks", "store_id", storeId, copies, {
    ...{ id: "'wh_' || c.id", store_id: "c.id", url: "c.url" },
  });
  return copies;
}

async function copyRows(
  databaseUrl: string,
  table: string,
  of: string,
  storeId: string,
  copies: readonly { storeId: string; hash: string; url: string }[],
  own: Readonly<Record<string, string>>,
): Promise<void> {
  const columns = await queryOnce<{ name: string }>(
    databaseUrl,
    "SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1",
    [table],
  );
  const names = columns.map(({ name }) => name);
  await queryOnce(
    databaseUrl,
    `INSERT INTO ${table} (${names.join()})
     SELECT ${names.map((name) => own[name] ?? `t.${name}`).join()}
       FROM ${table} t, unnest($2::text[], $3::text[], $4::text[]) AS c(id, hash, url) WHERE t.${of} = $1`,
    [storeId, copies.map((one) => one.storeId), copies.map(({ hash }) => hash), copies.map(({ url }) => url)],
  );
}
