import { Command, CommanderError } from "commander";
import { cliCommand, readVersion } from "../../adapters/version";
import { addAccessCommand } from "./access";
import { addApiKeyCommands } from "./api-key";
import { addBackupCommand } from "./backup";
import { addChainCommands } from "./chain";
import { addDoctorCommand } from "./doctor";
import { failureOf } from "./failure";
import { addLightningCommands } from "./lightning";
import { addMigrateCommand } from "./migrate";
import { addRescanCommand } from "./rescan";
import { addRestoreCommands } from "./restore";
import { addRetryCommands } from "./retry";
import { addStoreCommands } from "./store";
import { FailedAnswer, type Terminal } from "./terminal";
import { addUserCommands } from "./user";
import { addWalletCommands } from "./wallet";
import { addWebhookCommands } from "./webhook";

function program(terminal: Terminal): Command {
  const cli = new Command(cliCommand(""))
    .description("Quittance's operator commands. Settings come from the environment and .env.")
    .version(readVersion())
    .option("--json", "print one JSON object and nothing else on stdout")
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
      outputError: () => undefined, // reported below, as JSON where that is wanted
    });
  addMigrateCommand(cli, terminal);
  addUserCommands(cli, terminal);
  addStoreCommands(cli, terminal);
  addApiKeyCommands(cli, terminal);
  addAccessCommand(cli, terminal);
  addWebhookCommands(cli, terminal);
  addWalletCommands(cli, terminal);
  addLightningCommands(cli, terminal);
  addRescanCommand(cli, terminal);
  addChainCommands(cli, terminal);
  addRetryCommands(cli, terminal);
  addBackupCommand(cli, terminal);
  addRestoreCommands(cli, terminal);
  addDoctorCommand(cli, terminal);
  return cli;
}

/** Help or version was printed, or the output has the error already. */
function isReported(error: unknown): boolean {
  return (
    error instanceof FailedAnswer ||
    (error instanceof CommanderError && /^commander\.(help|helpDisplayed|version)$/.test(error.code))
  );
}

/** Runs one command line; returns its exit code. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await program(terminal).parseAsync([...args], { from: "user" });
    return 0;
  } catch (error) {
    if (isReported(error)) return error instanceof CommanderError ? error.exitCode : 1;
    const failure = failureOf(error);
    const asJson = args.includes("--json");
    terminal.err(
      asJson ? `${JSON.stringify({ error: failure })}\n` : `${failure.code}: ${failure.message}\n`,
    );
    return 1;
  }
}
