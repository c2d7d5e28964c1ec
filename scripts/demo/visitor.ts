import type { CommandContext } from "../../commands/context";
import { createUser } from "../../commands/accounts/create-user";
import { addStoreMember, listStoreMembers } from "../../commands/accounts/store-members";
import { createUserLink } from "../../commands/accounts/user-links";
import { User } from "../../entities/user";
import { withContext } from "../cli/context";

/** A server admin who owns the demo's store. */
export const VISITOR = "demo@shop.example";

async function link(ctx: CommandContext, storeId: string): Promise<string> {
  const email = VISITOR;
  if (!(await ctx.db.manager.existsBy(User, { email }))) await createUser(ctx, { email, admin: true });
  const members = await listStoreMembers(ctx, storeId);
  if (!members.some((member) => member.email === email))
    await addStoreMember(ctx, { storeId, email, role: "owner" });
  return (await createUserLink(ctx, { email, kind: "login" })).url;
}

/** A link that logs the visitor in, once and within 15 minutes. The one of the previous start becomes invalid. */
export async function visitorLink(env: Record<string, string>, storeId: string): Promise<string> {
  let log = "";
  const terminal = { env, out: () => undefined, err: (text: string) => void (log += text) };
  try {
    return await withContext(terminal, ["PUBLIC_URL", "APP_SECRET"], (ctx) => link(ctx, storeId));
  } catch (error) {
    throw new Error(`The dashboard's user cannot be made.\n${log}`, { cause: error });
  }
}
