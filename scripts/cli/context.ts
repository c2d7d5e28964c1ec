import {
  buildContext,
  closeInfrastructure,
  connectInfrastructure,
  type Infrastructure,
} from "../../adapters/context";
import { checkInstallation, checkNetwork } from "../../commands/installation/check-installation";
import type { CommandContext } from "../../commands/context";
import type { SecretsPort } from "../../commands/ports";
import { parseConfig } from "../../config/load";
import type { Config, SettingName } from "../../config/schema";
import { Installation } from "../../entities/installation";
import type { Terminal } from "./terminal";

/** Settings that a service cannot start without and most commands can. */
const OFTEN_MISSING: readonly SettingName[] = ["PUBLIC_URL", "APP_SECRET"];
/** Replaces a missing APP_SECRET; a context with it refuses to encrypt. */
const NO_SECRET = "-".repeat(32);
const PATIENCE_MS = 0;

/** The settings, of which DATABASE_URL, NETWORK and those named must be there. @throws ConfigError */
export function configFor(terminal: Terminal, needs: readonly SettingName[]): Config {
  return parseConfig(
    terminal.env,
    OFTEN_MISSING.filter((name) => !needs.includes(name)),
  );
}

function refuseSecrets(): never {
  throw new Error("this command runs without APP_SECRET and cannot read or write secrets");
}

async function checkedContext(infrastructure: Infrastructure, ctx: CommandContext): Promise<CommandContext> {
  const { config, secretBox } = infrastructure;
  if (config.APP_SECRET !== NO_SECRET) {
    await checkInstallation(ctx.db, { network: config.NETWORK, ...secretBox });
    return ctx;
  }
  const installation = await ctx.db.manager.findOneBy(Installation, { singleton: true });
  if (installation !== null) checkNetwork(installation, config.NETWORK);
  const secrets: SecretsPort = {
    encrypt: refuseSecrets,
    decrypt: refuseSecrets,
    needsReencryption: refuseSecrets,
    mac: refuseSecrets,
    macMatches: refuseSecrets,
    formerKeyId: null,
    lookupHashes: refuseSecrets,
  };
  return { ...ctx, secrets };
}

interface ContextOptions {
  applicationName?: string;
  /** A statement takes as long as it does. */
  unlimited?: boolean;
}

/** Of what follows a restore: every row of a table may have to be changed. */
export const RESTORING: ContextOptions = { applicationName: "quittance restore", unlimited: true };

/** Runs the work with a command context on the migrated database of the environment, and closes it. Logs go to stderr. */
export async function withContext<T>(
  terminal: Terminal,
  needs: readonly SettingName[],
  work: (ctx: CommandContext) => Promise<T>,
  options: ContextOptions = {},
): Promise<T> {
  const checked = async (infrastructure: Infrastructure, ctx: CommandContext): Promise<T> =>
    work(await checkedContext(infrastructure, ctx));
  return withInfrastructure(terminal, configFor(terminal, needs), checked, options);
}

/** As `withContext`, for the restore, on a database that no app may use yet. */
export async function withUnfinishedDatabase<T>(
  terminal: Terminal,
  config: Config,
  work: (ctx: CommandContext) => Promise<T>,
): Promise<T> {
  return withInfrastructure(terminal, config, (_, ctx) => work(ctx), RESTORING);
}

async function withInfrastructure<T>(
  terminal: Terminal,
  given: Partial<Config>,
  work: (infrastructure: Infrastructure, ctx: CommandContext) => Promise<T>,
  options: ContextOptions,
): Promise<T> {
  const config = { ...given, APP_SECRET: given.APP_SECRET ?? NO_SECRET } as Config;
  const infrastructure = connectInfrastructure(config, {
    worker: "cli",
    logTo: { write: (line) => terminal.err(line) },
  });
  let ctx: CommandContext | null = null;
  try {
    ctx = await buildContext(infrastructure, { patienceMs: PATIENCE_MS, ...options });
    return await work(infrastructure, ctx);
  } finally {
    await closeInfrastructure(infrastructure, ctx);
  }
}
