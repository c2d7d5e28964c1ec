import type { Command } from "commander";
import { createUser } from "../../commands/accounts/create-user";
import { createUserLink, type MadeLink } from "../../commands/accounts/user-links";
import { LINK_VALID_MINUTES, type UserLinkKind } from "../../domain/account/user-link";
import { inContext } from "./context";
import type { Answer, Terminal } from "./terminal";

/** The only place where a link is printed. */
async function printed(kind: UserLinkKind, made: Promise<MadeLink & { userId: string }>): Promise<Answer> {
  const { userId, url, expiresAt } = await made;
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
      inContext(terminal, (ctx, input: { email: string; admin?: boolean }) =>
        printed("setup", createUser(ctx, input)),
      ),
    );
  user
    .command("reset")
    .description("print a one-time link to set a new password, valid for 30 minutes")
    .requiredOption("--email <address>", "the user's e-mail address")
    .option("--drop-second-factor", "also remove the user's authenticator app, recovery codes and passkeys")
    .action(
      inContext(terminal, (ctx, options: { email: string; dropSecondFactor?: boolean }) =>
        printed("reset", createUserLink(ctx, { ...options, kind: "reset" })),
      ),
    );
  user
    .command("link")
    .description("print a one-time link that logs a user in without a password, valid for 15 minutes")
    .requiredOption("--email <address>", "the user's e-mail address")
    .action(
      inContext(terminal, (ctx, { email }: { email: string }) =>
        printed("login", createUserLink(ctx, { email, kind: "login" })),
      ),
    );
}
