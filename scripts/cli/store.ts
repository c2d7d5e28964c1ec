import { Option, type Command } from "commander";
import type { CommandContext } from "../../commands/context";
import { createStore, type CreateStoreInput } from "../../commands/create-store";
import { switchLightningOff, switchLightningOn } from "../../commands/switch-lightning";
import { invalidField } from "../../domain/errors";
import { SCRIPT_TYPES, type ScriptType } from "../../domain/chain/script-type";
import { withContext } from "./context";
import { answering, wholeNumber, type Terminal } from "./terminal";

interface StoreOptions {
  name: string;
  xpub?: string;
  scriptType?: ScriptType;
  descriptor?: string;
  startIndex?: number;
  lightning?: boolean;
  currency?: string;
  confirmations?: number;
}

function walletOf(options: StoreOptions): CreateStoreInput["wallet"] {
  const { xpub, descriptor, scriptType, startIndex } = options;
  if (descriptor !== undefined) return { descriptor, startIndex };
  if (xpub !== undefined) return { xpub, scriptType, startIndex };
  if (scriptType !== undefined) throw invalidField("/scriptType", "It says what --xpub is: give that too.");
  if (startIndex !== undefined)
    throw invalidField("/startIndex", "It belongs to a wallet: give --xpub or --descriptor too.");
  return undefined;
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

export function addStoreCommands(cli: Command, terminal: Terminal): void {
  const store = cli.command("store").description("stores: each has its own invoices, keys and webhooks");
  store
    .command("create")
    .description("make a store and print its id")
    .requiredOption("--name <name>", "what people call it")
    .option(
      "--xpub <key>",
      "account key of its wallet: xpub, ypub, zpub, tpub, upub or vpub; never a private one",
    )
    .addOption(new Option("--script-type <type>", "addresses of a plain xpub or tpub").choices(SCRIPT_TYPES))
    .addOption(
      new Option(
        "--descriptor <descriptor>",
        "wpkh(…), tr(…), sh(wpkh(…)) or pkh(…) instead of --xpub",
      ).conflicts(["xpub", "scriptType"]),
    )
    .option("--start-index <index>", "index of the first address to give out", wholeNumber)
    .option("--lightning", "take Lightning payments by the server's node")
    .option("--currency <code>", "BTC, SATS or an ISO 4217 code")
    .option("--confirmations <number>", "blocks until a payment counts as confirmed", wholeNumber)
    .action(
      answering(terminal, async (options: StoreOptions) => {
        const input = inputOf(options);
        const { id } = await withContext(terminal, [], (ctx) => createStore(ctx, input));
        return { json: { storeId: id }, text: `Store ID: ${id}` };
      }),
    );
  store
    .command("lightning")
    .description("let a store take Lightning payments by the server's node, or no longer")
    .requiredOption("--store <storeId>", "the store")
    .addOption(new Option("--on", "from the next invoice on").conflicts("off"))
    .addOption(new Option("--off", "BOLT11s that were given out can be paid until they run out"))
    .action(
      answering(terminal, async ({ store: storeId, on = false, off = false }: SwitchOptions) => {
        if (on === off) throw invalidField("/on", "Give --on or --off.");
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
