import { changeStore } from "../../commands/stores/change-store";
import { withContext } from "../cli/context";
import { runCli } from "../cli/run";
import { newXpub } from "../devnet/new-xpub";
import type { DemoFolder, Kept, KeptWebhook } from "./folder";
import { ACCOUNTING_PATH, SHOP_PATH } from "./receiver";

export type Merchant = Required<Omit<Kept, "examples">>;

type Settings = Record<string, string>;

/** The checkout's contact for customers. */
const CONTACT = { website: "https://shop.example", supportUrl: "mailto:help@shop.example" };

/** The same command line that an operator uses. */
async function cli<T>(env: Settings, ...args: string[]): Promise<T> {
  let out = "";
  let err = "";
  const code = await runCli([...args, "--json"], {
    env,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
  });
  if (code !== 0) throw new Error(`${args.slice(0, 2).join(" ")}: ${err.trim()}`);
  return JSON.parse(out) as T;
}

/** Null while the stored webhook has the receiver's address. */
async function newWebhook(
  env: Settings,
  storeId: string,
  former: KeptWebhook | undefined,
  { port, path, events }: { port: number; path: string; events?: string },
): Promise<KeptWebhook | null> {
  if (former?.port === port) return null;
  const url = `http://127.0.0.1:${port}${path}`; // localhost would be two addresses
  const named = ["--store", storeId, "--url", url, ...(events === undefined ? [] : ["--events", events])];
  const made = await cli<{ webhookId: string; secret: string }>(env, "webhook", "create", ...named);
  return { id: made.webhookId, secret: made.secret, port };
}

/**
 * A store with a key and webhooks to the receiver: made at the first start, found again at the next. Each is kept
 * before the next is made. `replaced` are webhooks to a port that was taken meanwhile.
 */
export async function settle(
  folder: DemoFolder,
  kept: Kept,
  env: Settings,
  port: number,
): Promise<{ merchant: Merchant; replaced: string[] }> {
  await cli(env, "migrate");
  if (kept.storeId === undefined) {
    const wallet = ["--xpub", newXpub(), "--lightning", "--currency", "SATS"];
    const { storeId } = await cli<{ storeId: string }>(env, "store", "create", "--name", "Demo", ...wallet);
    const silent = { env, out: () => undefined, err: () => undefined };
    await withContext(silent, [], (ctx) => changeStore(ctx, storeId, CONTACT));
    kept.storeId = storeId;
    folder.writeKept(kept);
  }
  if (kept.apiKey === undefined) {
    const named = ["--store", kept.storeId, "--name", "demo"];
    kept.apiKey = (await cli<{ apiKey: string }>(env, "api-key", "create", ...named)).apiKey;
    folder.writeKept(kept);
  }
  const replaced: string[] = [];
  const endpoints = [
    { name: "webhook", port, path: SHOP_PATH },
    { name: "accounting", port, path: ACCOUNTING_PATH, events: "Settled" },
  ] as const;
  for (const { name, ...endpoint } of endpoints) {
    const former = kept[name];
    const made = await newWebhook(env, kept.storeId, former, endpoint);
    if (made === null) continue;
    if (former !== undefined) replaced.push(former.id);
    kept[name] = made;
    folder.writeKept(kept);
  }
  return { merchant: kept as Merchant, replaced };
}
