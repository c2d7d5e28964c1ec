import { buildContext, closeInfrastructure, connectInfrastructure } from "../../adapters/context";
import { checkInstallation } from "../../commands/installation/check-installation";
import type { CommandContext } from "../../commands/context";
import { parseConfig } from "../../config/load";
import { answering, type Answer, type Terminal } from "./terminal";

const PATIENCE_MS = 0;

interface ContextOptions {
  applicationName?: string;
  /** A statement takes as long as it does. */
  unlimited?: boolean;
  /** A restore into it is not finished: no app may use it yet. */
  unfinished?: boolean;
}

/** Of what follows a restore: every row of a table may have to be changed. */
export const RESTORING: ContextOptions = { applicationName: "quittance restore", unlimited: true };

/** Runs the work with a command context on the migrated database of the environment, and closes it. Logs go to stderr. */
export async function withContext<T>(
  terminal: Terminal,
  work: (ctx: CommandContext) => Promise<T>,
  { unfinished = false, ...options }: ContextOptions = {},
): Promise<T> {
  const config = parseConfig(terminal.env);
  const infrastructure = connectInfrastructure(config, {
    worker: "cli",
    logTo: { write: (line) => terminal.err(line) },
  });
  let ctx: CommandContext | null = null;
  try {
    ctx = await buildContext(infrastructure, { patienceMs: PATIENCE_MS, ...options });
    if (!unfinished)
      await checkInstallation(ctx.db, { network: config.NETWORK, ...infrastructure.secretBox });
    return await work(ctx);
  } finally {
    await closeInfrastructure(infrastructure, ctx);
  }
}

/** A commander action with a command context. */
export const inContext = <O>(
  terminal: Terminal,
  work: (ctx: CommandContext, given: O) => Promise<Answer>,
  options?: ContextOptions,
) => answering<O>(terminal, (given) => withContext(terminal, (ctx) => work(ctx, given), options));
