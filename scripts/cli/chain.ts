import type { Command } from "commander";
import { acceptChain } from "../../commands/chain/other-chain";
import { withContext } from "./context";
import { answering, type Terminal } from "./terminal";

export function addChainCommands(cli: Command, terminal: Terminal): void {
  const chain = cli.command("chain").description("the chain that chain-watch follows");
  chain
    .command("accept")
    .description(
      "follow the other chain at which chain-watch has stopped: blocks that are not in it are undone",
    )
    .requiredOption("--hash <hash>", "its first block that differs from ours, named in the alert other-chain")
    .action(
      answering(terminal, async ({ hash }: { hash: string }) => {
        const accepted = await withContext(terminal, [], (ctx) => acceptChain(ctx, hash));
        const { fromHeight, toHeight } = accepted;
        return {
          json: accepted,
          text: `chain-watch will undo blocks ${fromHeight} to ${toHeight} and follow the node.`,
        };
      }),
    );
}
