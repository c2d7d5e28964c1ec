import { In } from "typeorm";
import { Passkey } from "../../entities/passkey";
import { StoreMember } from "../../entities/store-member";
import { User } from "../../entities/user";
import type { CommandContext } from "../context";
import { countMade } from "../stores/creators";
import { readPage, type Page, type PageRequest } from "../../database/pagination";

export type UserView = Awaited<ReturnType<typeof viewsOf>>[number];

/** Newest first. @throws DomainError `validation-failed` at `/cursor`. */
export async function listUsers(ctx: CommandContext, page: PageRequest): Promise<Page<UserView>> {
  const { items, nextCursor } = await readPage(ctx.db.createQueryBuilder(User, "person"), page);
  return { items: await viewsOf(ctx, items), nextCursor };
}

export async function viewUser(ctx: CommandContext, user: User): Promise<UserView> {
  const [view] = await viewsOf(ctx, [user]);
  if (view === undefined) throw new Error("one user has one view");
  return view;
}

async function viewsOf({ db: { manager } }: CommandContext, users: readonly User[]) {
  const userId = In(users.map(({ id }) => id));
  const passkeys = await manager.find(Passkey, { select: { id: true, userId: true }, where: { userId } });
  const members = await manager.findBy(StoreMember, { userId });
  const made = await countMade(
    manager,
    users.map(({ id }) => id),
    null,
  );
  return users.map((user) => ({
    user,
    made: made.get(user.id) ?? { apiKeys: 0, webhooks: 0 },
    hasPasskey: passkeys.some((passkey) => passkey.userId === user.id),
    stores: members.filter((member) => member.userId === user.id).length,
  }));
}
