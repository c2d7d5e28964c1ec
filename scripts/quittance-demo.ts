import "reflect-metadata";
import { startDemo } from "./demo";
import { demoCli } from "./demo/cli";
import { packagePlace } from "./demo/place";
import { pay } from "./demo/pay";

/**
 * The command of the package quittance-demo, whose file is `command`: the demo, or with `pay` the customer of the one
 * that runs, and with `cli` the operator's command line with its settings.
 */
export function runDemo(command: string): void {
  const place = packagePlace(process.env, command);
  const [verb, ...args] = process.argv.slice(2);
  if (verb === undefined) startDemo(null, place);
  else if (verb === "pay") void pay(args, place);
  else if (verb === "cli") void demoCli(args, place).then((code) => (process.exitCode = code));
  else {
    const help = verb === "--help";
    const usage = `usage: ${place.start}\n       ${place.pay} …\n       ${place.cli} …\n`;
    (help ? process.stdout : process.stderr).write(help ? usage : `unknown: ${verb}\n${usage}`);
    process.exitCode = help ? 0 : 1;
  }
}
