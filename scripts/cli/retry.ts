import type { Command } from "commander";
import { askToRetrySetAside } from "../../commands/chain/set-aside";
import { withContext } from "./context";
import { answering, type Terminal } from "./terminal";

export function addRetryCommands(cli: Command, terminal: Terminal): void {
  const retry = cli.command("retry").description("retry failed work");
  retry
    .command("set-aside")
    .description("retry transactions that were set aside; safe at any time")
    .action(
      answering(terminal, async () => {
        const count = await withContext(terminal, [], (ctx) => askToRetrySetAside(ctx.db.manager));
        return { json: { count }, text: `${count} will be retried within seconds.` };
      }),
    );
}
