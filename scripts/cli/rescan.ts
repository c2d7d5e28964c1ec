import type { Command } from "commander";
import { rescanChain } from "../../commands/rescan-chain";
import { withContext } from "./context";
import { answering, wholeNumber, type Terminal } from "./terminal";

export function addRescanCommand(cli: Command, terminal: Terminal): void {
  cli
    .command("rescan")
    .description("look through blocks again for payments; harmless at any time")
    .requiredOption("--from-height <height>", "the first block to look at", wholeNumber)
    .action(
      answering(terminal, async ({ fromHeight }: { fromHeight: number }) => {
        const found = await withContext(terminal, [], (ctx) => rescanChain(ctx, fromHeight));
        const { toHeight, payments } = found;
        return {
          json: found,
          text: `Read blocks ${fromHeight} to ${toHeight}: ${payments} payments that were not known.`,
        };
      }),
    );
}
