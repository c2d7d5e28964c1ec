import "reflect-metadata";
import { startDemo } from "./demo";
import { packagePlace } from "./demo/place";
import { pay } from "./demo/pay";

/**
 * The command of the package quittance-demo, whose file is `command`: the demo, or with `pay` the customer of the one
 * that runs.
 */
export function runDemo(command: string): void {
  const place = packagePlace(process.env, command);
  const [verb, ...args] = process.argv.slice(2);
  if (verb === undefined) startDemo(null, place);
  else if (verb === "pay") void pay(args, place);
  else {
    process.stderr.write(`usage: ${place.start}\n       ${place.pay} …\n`);
    process.exitCode = 1;
  }
}
