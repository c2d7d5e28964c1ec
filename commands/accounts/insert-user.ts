import { User } from "../../entities/user";
import { macOfRow } from "../server/authentic-rows";
import type { Tx } from "../transaction";

/** Null if the address has a user, also if another request just made it. */
export async function insertUser(
  tx: Tx,
  { email, admin }: { email: string; admin: boolean },
): Promise<User | null> {
  const id = tx.newId("usr");
  const made = { id, email, admin, mac: macOfRow(tx, User, { id, email, admin }) };
  await tx.manager.createQueryBuilder().insert().into(User).values(made).orIgnore().execute();
  return tx.manager.findOneBy(User, { id });
}
