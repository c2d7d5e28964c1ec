import type { Command } from "commander";
import { rescanChain } from "../../commands/chain/rescan-chain";
import { withContext } from "./context";
import { answering, wholeNumber, type Terminal } from "./terminal";

export function addRescanCommand(cli: Command, terminal: Terminal): void {
  cli
    .command("rescan")
    .description("scan blocks again for payments; safe at any time")
    .requiredOption("--from-height <height>", "the first block to scan", wholeNumber)
    .action(
      answering(terminal, async ({ fromHeight }: { fromHeight: number }) => {
        const found = await withContext(terminal, ["APP_SECRET"], (ctx) => rescanChain(ctx, fromHeight));
        const { toHeight, payments } = found;
        return {
          json: found,
          text: `Scanned blocks ${fromHeight} to ${toHeight}: ${payments} new payments.`,
        };
      }),
    );
}
