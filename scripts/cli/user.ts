import type { Command } from "commander";
import { createUser } from "../../commands/create-user";
import { withContext } from "./context";
import { answering, type Terminal } from "./terminal";

export function addUserCommands(cli: Command, terminal: Terminal): void {
  const user = cli.command("user").description("people who sign in to the dashboard");
  user
    .command("create")
    .description("make a user and print a one-time link, good for 15 minutes")
    .requiredOption("--email <address>", "the user's e-mail address")
    .option("--admin", "may see and change the whole server")
    .action(
      answering(terminal, async ({ email, admin = false }: { email: string; admin?: boolean }) => {
        const created = await withContext(terminal, ["PUBLIC_URL"], (ctx) =>
          createUser(ctx, { email, admin }),
        );
        return {
          json: { ...created, expiresAt: created.expiresAt.toISOString() },
          text: `Open this link within 15 minutes; it works once:\n${created.url}`,
        };
      }),
    );
}
