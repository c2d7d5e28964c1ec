import { runCli } from "../cli/run";
import { ownTerminal, type Terminal } from "../cli/terminal";
import { DemoFolder } from "./folder";
import type { DemoPlace } from "./place";

/** The operator's command line, with the settings of the demo that runs. Returns its exit code. */
export async function demoCli(
  args: readonly string[],
  place: DemoPlace,
  terminal: Omit<Terminal, "env"> = ownTerminal({}),
): Promise<number> {
  const running = new DemoFolder(place.dir).readRunning();
  if (running !== null) return runCli(args, { ...terminal, env: running.settings });
  terminal.err(`No demo runs here: start one with \`${place.start}\`.\n`);
  return 1;
}
