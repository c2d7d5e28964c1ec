import { randomBytes } from "node:crypto";
import { makeSecretBox, type SecretBox } from "../../../adapters/crypto";
import { readLink, type WalletLink } from "../../../commands/wallets/queries";
import { linkFields, openWallet } from "../../../commands/wallets/wallet-link";
import { webhookSecretPlace } from "../../../commands/server/sealed-places";
import { macOfRow } from "../../../commands/accounts/authentic-rows";
import { ApiKey } from "../../../entities/api-key";
import { apiKeyText, parseApiKey } from "../../../domain/account/api-key";
import { queryOnce } from "../servers";
import { BENCH_SECRET, type Service, type Store } from "../service";

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
  const box = makeSecretBox({ appSecret: BENCH_SECRET });
  const own = await sealedAnew(databaseUrl, storeId, box);
  const copies = numbers.map((number) => {
    const apiKey = apiKeyText("regtest", randomBytes(32));
    const hash = parseApiKey(apiKey)?.hash ?? Buffer.alloc(0);
    const id = `copy${number}`;
    const row = { id: `key_${id}`, storeId: id, hash, permissions: null, expiresAt: null };
    const keyMac = macOfRow({ secrets: box }, ApiKey, row).toString("hex");
    return { storeId: id, apiKey, hash: hash.toString("hex"), url: urlOf(number), keyMac, ...own(id) };
  });
  await copyRows(databaseUrl, "stores", "id", storeId, copies, { id: "c.id" });
  await copyRows(databaseUrl, "store_payment_methods", "store_id", storeId, copies, {
    ...{ store_id: "c.id", mac: "decode(c.mac, 'hex')" },
  });
  await copyRows(databaseUrl, "api_keys", "store_id", storeId, copies, {
    ...{ id: "'key_' || c.id", store_id: "c.id", hash: "decode(c.hash, 'hex')" },
    mac: "decode(c.key_mac, 'hex')",
  });
  await copyRows(databaseUrl, "webhooks", "store_id", storeId, copies, {
    ...{ id: "'wh_' || c.id", store_id: "c.id", url: "c.url", secret_encrypted: "decode(c.secret, 'hex')" },
  });
  return copies;
}

/**
 * By a copy's id, the values bound to its rows: the MAC of its link to the wallet, and its webhook's secret; in hex.
 */
async function sealedAnew(
  databaseUrl: string,
  storeId: string,
  box: SecretBox,
): Promise<(copyId: string) => { mac: string; secret: string }> {
  const [link] = await queryOnce<WalletLink>(databaseUrl, readLink.text, [storeId]);
  const [webhook] = await queryOnce<{ id: string; value: Buffer }>(
    databaseUrl,
    "SELECT id, secret_encrypted AS value FROM webhooks WHERE store_id = $1",
    [storeId],
  );
  const wallet = link && openWallet(box, link);
  if (!wallet || !webhook) throw new Error("the store to be copied has no wallet or no webhook");
  const secret = box.decrypt(webhook.value, webhookSecretPlace(webhook.id));
  return (copyId) => ({
    mac: box.mac(linkFields(copyId, wallet)).toString("hex"),
    secret: box.encrypt(secret, webhookSecretPlace(`wh_${copyId}`)).toString("hex"),
  });
}

async function copyRows(
  databaseUrl: string,
  table: string,
  of: string,
  storeId: string,
  copies: readonly Record<"storeId" | "hash" | "url" | "mac" | "secret" | "keyMac", string>[],
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
       FROM ${table} t, unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
              AS c(id, hash, url, mac, secret, key_mac) WHERE t.${of} = $1`,
    [
      storeId,
      copies.map((one) => one.storeId),
      copies.map(({ hash }) => hash),
      copies.map(({ url }) => url),
      copies.map(({ mac }) => mac),
      copies.map(({ secret }) => secret),
      copies.map(({ keyMac }) => keyMac),
    ],
  );
}
