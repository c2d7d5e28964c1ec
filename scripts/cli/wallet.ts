import type { Command } from "commander";
import { skipAddresses } from "../../commands/skip-addresses";
import { withContext } from "./context";
import { answering, wholeNumber, type Terminal } from "./terminal";

export function addWalletCommands(cli: Command, terminal: Terminal): void {
  const wallet = cli.command("wallet").description("the addresses that a store gives out");
  wallet
    .command("skip")
    .description("leave out the next addresses, when they were given out elsewhere")
    .requiredOption("--store <id>", "the store's id")
    .requiredOption("--by <number>", "how many addresses", wholeNumber)
    .action(
      answering(terminal, async ({ store, by }: { store: string; by: number }) => {
        const nextIndex = await withContext(terminal, [], (ctx) => skipAddresses(ctx, store, by));
        return { json: { nextIndex }, text: `The next address has index ${nextIndex}.` };
      }),
    );
}
