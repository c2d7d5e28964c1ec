import type { Command } from "commander";
import { askToRetrySetAside } from "../../commands/chain/set-aside";
import { inContext } from "./context";
import type { Terminal } from "./terminal";

export function addRetryCommands(cli: Command, terminal: Terminal): void {
  const retry = cli.command("retry").description("retry failed work");
  retry
    .command("set-aside")
    .description("retry transactions that were set aside; safe at any time")
    .action(
      inContext(terminal, async ({ db }) => {
        const count = await askToRetrySetAside(db.manager);
        return { json: { count }, text: `${count} will be retried within seconds.` };
      }),
    );
}
