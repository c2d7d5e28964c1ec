import { readFileSync, statSync } from "node:fs";
import { Option, type Command } from "commander";
import type { CommandContext } from "../../commands/context";
import { createStore, type CreateStoreInput } from "../../commands/stores/create-store";
import { connectNode, passedCheck } from "../../commands/lightning/connect-node";
import { switchLightningOff, switchLightningOn } from "../../commands/lightning/switch-lightning";
import type { SettingName } from "../../config/schema";
import { DomainError, invalidField } from "../../domain/errors";
import { WALLET_TEXT_MAX } from "../../domain/wallet/account-key";
import { SCRIPT_TYPES, type ScriptType } from "../../domain/wallet/script-type";
import type { Store } from "../../entities/store";
import { withContext } from "./context";
import { saysSteps } from "./lightning";
import { answering, wholeNumber, type Terminal } from "./terminal";

interface StoreOptions {
  name: string;
  xpub?: string;
  walletFile?: string;
  scriptType?: ScriptType;
  descriptor?: string;
  startIndex?: number;
  lightning?: boolean;
  lndconnect?: string;
  currency?: string;
  confirmations?: number;
}

function walletOf(options: StoreOptions): CreateStoreInput["wallet"] {
  const { walletFile, descriptor, scriptType, startIndex } = options;
  const xpub = walletFile === undefined ? options.xpub : readWalletFile(walletFile);
  if (descriptor !== undefined) return { descriptor, startIndex };
  if (xpub !== undefined) return { xpub, scriptType, startIndex };
  if (scriptType !== undefined)
    throw invalidField("/scriptType", "Only valid with --xpub or --wallet-file: add that option.");
  if (startIndex !== undefined)
    throw invalidField("/startIndex", "Only valid with a wallet: add --xpub, --wallet-file or --descriptor.");
  return undefined;
}

function readWalletFile(file: string): string {
  try {
    const { size } = statSync(file);
    if (size > WALLET_TEXT_MAX)
      throw invalidField(
        "/walletFile",
        `Has ${size} bytes, at most ${WALLET_TEXT_MAX} are read: send its key by --xpub.`,
      );
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw invalidField(
      "/walletFile",
      `Cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
}

function inputOf(options: StoreOptions): CreateStoreInput {
  const wallet = walletOf(options);
  return {
    name: options.name,
    ...(wallet === undefined ? {} : { wallet }),
    ...(options.currency === undefined ? {} : { defaultCurrency: options.currency }),
    ...(options.lightning === undefined ? {} : { lightning: options.lightning }),
    ...(options.confirmations === undefined ? {} : { requiredConfirmations: options.confirmations }),
  };
}

/** No store is left of a node that fails. */
async function createGiven(
  ctx: CommandContext,
  options: StoreOptions,
  say: ReturnType<typeof saysSteps>,
): Promise<Store> {
  const { lndconnect } = options;
  if (lndconnect !== undefined) await passedCheck(ctx, { lndconnect }, say);
  const store = await createStore(ctx, inputOf(options));
  if (lndconnect !== undefined) await connectNode(ctx, store.id, { lndconnect });
  return store;
}

export function addStoreCommands(cli: Command, terminal: Terminal): void {
  const store = cli.command("store").description("stores: each has its own invoices, keys and webhooks");
  store
    .command("create")
    .description("create a store and print its id")
    .requiredOption("--name <name>", "its name")
    .option(
      "--xpub <key>",
      "account key of its wallet: xpub, ypub, zpub, tpub, upub or vpub; never a private one",
    )
    .addOption(
      new Option("--wallet-file <file>", "file that the wallet exports, instead of --xpub").conflicts("xpub"),
    )
    .addOption(
      new Option(
        "--script-type <type>",
        "addresses of a plain xpub or tpub, or the account of a file",
      ).choices(SCRIPT_TYPES),
    )
    .addOption(
      new Option(
        "--descriptor <descriptor>",
        "wpkh(…), tr(…), sh(wpkh(…)) or pkh(…) instead of --xpub",
      ).conflicts(["xpub", "walletFile", "scriptType"]),
    )
    .option("--start-index <index>", "index of the first address to give out", wholeNumber)
    .option("--lightning", "accept Lightning payments with the server's node")
    .addOption(
      new Option("--lndconnect <uri>", "lndconnect://… of the store's own LND, checked first").conflicts(
        "lightning",
      ),
    )
    .option("--currency <code>", "BTC, SATS or an ISO 4217 code")
    .option("--confirmations <number>", "blocks until a payment counts as confirmed", wholeNumber)
    .action(
      answering(terminal, async (options: StoreOptions) => {
        // Wallets and macaroons are stored under APP_SECRET.
        const sealed = walletOf(options) !== undefined || options.lndconnect !== undefined;
        const needs: SettingName[] = sealed ? ["APP_SECRET"] : [];
        const say = saysSteps(cli, terminal);
        const { id } = await withContext(terminal, needs, (ctx) => createGiven(ctx, options, say));
        return { json: { storeId: id }, text: `Store ID: ${id}` };
      }),
    );
  store
    .command("lightning")
    .description("switch a store's Lightning payments on or off")
    .requiredOption("--store <storeId>", "the store")
    .addOption(new Option("--on", "from the next invoice on").conflicts("off"))
    .addOption(new Option("--off", "BOLT11s that were issued can be paid until they expire"))
    .action(
      answering(terminal, async ({ store: storeId, on = false, off = false }: SwitchOptions) => {
        if (on === off) throw invalidField("/on", "Use --on or --off.");
        await withContext(terminal, [], (ctx) => switchTo(ctx, storeId, on));
        const text = `The store ${on ? "takes" : "no longer takes"} Lightning payments.`;
        return { json: { storeId, lightning: on }, text };
      }),
    );
}

interface SwitchOptions {
  store: string;
  on?: boolean;
  off?: boolean;
}

async function switchTo(ctx: CommandContext, storeId: string, on: boolean): Promise<void> {
  if (on) await switchLightningOn(ctx, storeId);
  else await switchLightningOff(ctx, storeId);
}
