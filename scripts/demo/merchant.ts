import { randomBytes } from "node:crypto";
import { bip32 } from "../../domain/chain/curve";
import { networkParams } from "../../domain/chain/network-params";
import { runCli } from "../cli/run";
import type { DemoFolder, Kept } from "./folder";

export type Merchant = Required<Kept>;

type Settings = Record<string, string>;

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

/** The account key of a wallet that nobody keeps: regtest coins are worth nothing. */
function newXpub(): string {
  const root = bip32.fromSeed(randomBytes(32), networkParams("regtest"));
  return root.derivePath("m/84'/1'/0'").neutered().toBase58();
}

/**
 * A store with a key and a webhook to the receiver: made at the first start, found again at the next. Each is kept
 * before the next is made. `replaced` is a webhook to a port that was taken meanwhile.
 */
export async function settle(
  folder: DemoFolder,
  kept: Kept,
  env: Settings,
  receiverPort: number,
): Promise<{ merchant: Merchant; replaced: string | null }> {
  await cli(env, "migrate");
  if (kept.storeId === undefined) {
    const wallet = ["--xpub", newXpub(), "--lightning", "--currency", "SATS"];
    const { storeId } = await cli<{ storeId: string }>(env, "store", "create", "--name", "Demo", ...wallet);
    kept.storeId = storeId;
    kept.lightning = true;
    folder.writeKept(kept);
  }
  if (kept.lightning === undefined) {
    await cli(env, "store", "lightning", "--store", kept.storeId, "--on");
    kept.lightning = true;
    folder.writeKept(kept);
  }
  if (kept.apiKey === undefined) {
    const named = ["--store", kept.storeId, "--name", "demo"];
    kept.apiKey = (await cli<{ apiKey: string }>(env, "api-key", "create", ...named)).apiKey;
    folder.writeKept(kept);
  }
  let replaced: string | null = null;
  if (kept.webhook?.port !== receiverPort) {
    const url = `http://127.0.0.1:${receiverPort}/webhook`; // localhost would be two addresses
    const named = ["--store", kept.storeId, "--url", url];
    const made = await cli<{ webhookId: string; secret: string }>(env, "webhook", "create", ...named);
    replaced = kept.webhook?.id ?? null;
    kept.webhook = { id: made.webhookId, secret: made.secret, port: receiverPort };
    folder.writeKept(kept);
  }
  return { merchant: kept as Merchant, replaced };
}
