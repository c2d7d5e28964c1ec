import { runCli } from "../cli/run";
import type { Terminal } from "../cli/terminal";
import { DemoFolder } from "./folder";
import type { DemoPlace } from "./place";

const OWN_TERMINAL: Omit<Terminal, "env"> = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
};

/** The operator's command line, with the settings of the demo that runs. Returns its exit code. */
export async function demoCli(
  args: readonly string[],
  place: DemoPlace,
  terminal = OWN_TERMINAL,
): Promise<number> {
  const running = new DemoFolder(place.dir).readRunning();
  if (running !== null) return runCli(args, { env: running.settings, ...terminal });
  terminal.err(`No demo runs here: start one with \`${place.start}\`.\n`);
  return 1;
}
