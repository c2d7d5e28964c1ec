import type { Command } from "commander";
import { skipAddresses } from "../../commands/wallets/skip-addresses";
import { withContext } from "./context";
import { answering, wholeNumber, type Terminal } from "./terminal";

export function addWalletCommands(cli: Command, terminal: Terminal): void {
  const wallet = cli.command("wallet").description("the addresses of a store's wallet");
  wallet
    .command("skip")
    .description("skip the next addresses, if they were used elsewhere")
    .requiredOption("--store <id>", "the store's id")
    .requiredOption("--by <number>", "how many addresses", wholeNumber)
    .action(
      answering(terminal, async ({ store, by }: { store: string; by: number }) => {
        const nextIndex = await withContext(terminal, [], (ctx) => skipAddresses(ctx, store, by));
        return { json: { nextIndex }, text: `The next address has index ${nextIndex}.` };
      }),
    );
}
