import { cliCommand } from "../../../adapters/version";
import { countSetAside, describeSetAside } from "../../../commands/chain/set-aside";
import { ok, warning, type Database, type Finding } from "./check";

/** Whether something could not be processed and waits for a retry. */
export async function setAsideCheck(db: Database): Promise<Finding> {
  const words = describeSetAside(await countSetAside(db));
  return words === null
    ? ok("Nothing is set aside.")
    : warning(words, `Upgrade, or remove the cause, and run \`${cliCommand("retry set-aside")}\`.`);
}
