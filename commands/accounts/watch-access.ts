import type { CommandContext } from "../context";
import { findNotAuthentic } from "../server/authentic-rows";
import { raiseAlert, resolveAlert } from "../server/raise-alert";
import { inTransaction } from "../transaction";

const KIND = "access-not-authentic";
const SUBJECT = "access";

/** Rows that this service did not write give nobody a right. Returns how many there are. */
export async function watchAccess(ctx: CommandContext): Promise<number> {
  const { length } = await findNotAuthentic(ctx);
  if (length === 0) await inTransaction(ctx, (tx) => resolveAlert(tx, KIND, SUBJECT));
  else
    await inTransaction(ctx, (tx) =>
      raiseAlert(tx, {
        kind: KIND,
        severity: "critical",
        subject: SUBJECT,
        message: `Users, roles, API keys or sessions in the database (${length} when this was found) are not those that this service wrote, and give nobody a right. Find out who wrote them, and run doctor.`,
      }),
    );
  return length;
}
