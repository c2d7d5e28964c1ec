import { cliCommand } from "../../../adapters/version";
import { readOpenGaps } from "../../../commands/chain/chain-gaps";
import { ok, warning, type Database, type Finding } from "./check";

const GAPS_TOLD = 10;

/** What payments may be missing of, and since when. */
export async function chainGapsCheck(db: Database): Promise<Finding> {
  const gaps = await readOpenGaps(db.manager, GAPS_TOLD);
  if (gaps.length === 0) return ok("No payment can have been missed.");
  const words = gaps.map(({ kind, beganAt }) => `${kind} since ${beganAt.toISOString()}`).join(", ");
  const hole = gaps.find(({ fromHeight }) => fromHeight !== null);
  return warning(
    `Payments may have been missed, and expiries are held: ${words}.`,
    hole === undefined
      ? "The next block resolves this; until then make sure that bitcoind has peers."
      : `With a node that has the blocks run: ${cliCommand(`rescan --from-height ${hole.fromHeight}`)}`,
  );
}
