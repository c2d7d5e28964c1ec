import { cliCommand } from "../../../adapters/version";
import { countSetAside, describeSetAside } from "../../../commands/chain/set-aside";
import { ok, warning, type Check, type Database } from "./check";

/** Whether something could not be processed and waits for a retry. */
export async function setAsideCheck(db: Database): Promise<Check> {
  const name = "set-aside";
  const words = describeSetAside(await countSetAside(db));
  return words === null
    ? ok(name, "Nothing is set aside.")
    : warning(name, words, `Upgrade, or remove the cause, and run \`${cliCommand("retry set-aside")}\`.`);
}
