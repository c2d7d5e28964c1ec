import type { Command } from "commander";
import { acceptRows, findNotAuthentic } from "../../commands/server/authentic-rows";
import { withContext } from "./context";
import { answering, type Terminal } from "./terminal";

export function addAccessCommand(cli: Command, terminal: Terminal): void {
  cli
    .command("access")
    .description(
      "list the users, roles, keys and sessions in the database that this service did not write, which give nobody a right",
    )
    .option("--accept", "give them the rights that they name; only if you know who wrote them")
    .action(
      answering(terminal, async ({ accept = false }: { accept?: boolean }) => {
        const look = accept ? acceptRows : findNotAuthentic;
        const rows = await withContext(terminal, ["APP_SECRET"], (ctx) => look(ctx));
        const title = accept ? "Accepted:" : "Not written by this service, and without effect:";
        const list = rows.map(({ what, row }) => `  ${what} ${row}`);
        return {
          json: accept ? { accepted: rows } : { notAuthentic: rows },
          text: rows.length === 0 ? "All are authentic." : [title, ...list].join("\n"),
        };
      }),
    );
}
