import type { EntityManager } from "typeorm";
import { User } from "../../entities/user";
import type { CommandContext } from "../context";
import { macOfRow } from "./authentic-rows";

/** Null if the address has a user, also if another request just made it. */
export async function insertUser(
  manager: EntityManager,
  ctx: CommandContext,
  { email, admin }: { email: string; admin: boolean },
): Promise<User | null> {
  const id = ctx.newId("usr");
  const made = { id, email, admin, mac: macOfRow(ctx, User, { id, email, admin }) };
  await manager.createQueryBuilder().insert().into(User).values(made).orIgnore().execute();
  return manager.findOneBy(User, { id });
}
