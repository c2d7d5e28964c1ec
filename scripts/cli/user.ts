import type { Command } from "commander";
import type { CommandContext } from "../../commands/context";
import { createUser } from "../../commands/accounts/create-user";
import { createUserLink, type MadeLink } from "../../commands/accounts/user-links";
import { LINK_VALID_MINUTES, type UserLinkKind } from "../../domain/account/user-link";
import { withContext } from "./context";
import { answering, type Answer, type Terminal } from "./terminal";

/** The only place where a link is printed. */
async function printed(
  terminal: Terminal,
  kind: UserLinkKind,
  make: (ctx: CommandContext) => Promise<MadeLink & { userId: string }>,
): Promise<Answer> {
  const { userId, url, expiresAt } = await withContext(terminal, ["PUBLIC_URL", "APP_SECRET"], make);
  return {
    json: { userId, url, expiresAt: expiresAt.toISOString() },
    text: `Open this link within ${LINK_VALID_MINUTES[kind]} minutes; it works once:\n${url}`,
  };
}

export function addUserCommands(cli: Command, terminal: Terminal): void {
  const user = cli.command("user").description("users of the dashboard");
  user
    .command("create")
    .description("create a user and print a one-time link, valid for 15 minutes")
    .requiredOption("--email <address>", "the user's e-mail address")
    .option("--admin", "make the user a server admin")
    .action(
      answering(terminal, ({ email, admin = false }: { email: string; admin?: boolean }) =>
        printed(terminal, "setup", (ctx) => createUser(ctx, { email, admin })),
      ),
    );
  user
    .command("reset")
    .description("print a one-time link to set a new password, valid for 30 minutes")
    .requiredOption("--email <address>", "the user's e-mail address")
    .option("--drop-second-factor", "also remove the user's authenticator app, recovery codes and passkeys")
    .action(
      answering(terminal, (options: { email: string; dropSecondFactor?: boolean }) =>
        printed(terminal, "reset", (ctx) => createUserLink(ctx, { ...options, kind: "reset" })),
      ),
    );
  user
    .command("link")
    .description("print a one-time link that logs a user in without a password, valid for 15 minutes")
    .requiredOption("--email <address>", "the user's e-mail address")
    .action(
      answering(terminal, ({ email }: { email: string }) =>
        printed(terminal, "login", (ctx) => createUserLink(ctx, { email, kind: "login" })),
      ),
    );
}
