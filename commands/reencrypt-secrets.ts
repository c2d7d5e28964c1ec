import { Installation } from "../entities/installation";
import type { CommandContext } from "./context";

interface Encrypted {
  id: string;
  value: Buffer;
}

/** Where secrets lie. */
const PLACES = [
  { table: "webhooks", column: "secret_encrypted" },
  { table: "webhooks", column: "previous_secret_encrypted" },
  { table: "users", column: "totp_secret_encrypted" },
] as const;
const BATCH = 500;

/**
 * Writes what is still encrypted under `APP_SECRET_OLD` anew under `APP_SECRET`, and the installation's check value
 * last. It looks at all of them every time: while processes are restarted one by one, those that know only the former
 * secret still write under it. Answers how many values were written.
 */
export async function reencryptSecrets(ctx: CommandContext): Promise<number> {
  const { manager } = ctx.db;
  const installation = await manager.findOneBy(Installation, { singleton: true });
  if (!installation) return 0;
  let written = 0;
  for (const place of PLACES) written += await reencryptColumn(ctx, place);
  const { secretCheck } = installation;
  if (ctx.secrets.needsReencryption(secretCheck)) {
    const renewed = ctx.secrets.encrypt(ctx.secrets.decrypt(secretCheck));
    await manager.update(Installation, { singleton: true, secretCheck }, { secretCheck: renewed });
    written += 1;
  }
  if (written > 0)
    ctx.log.info({ written }, "all secrets are encrypted under APP_SECRET; APP_SECRET_OLD is needed no more");
  return written;
}

async function reencryptColumn(ctx: CommandContext, place: (typeof PLACES)[number]): Promise<number> {
  const { table, column } = place;
  let written = 0;
  for (let after = ""; ;) {
    const rows = await ctx.db.query<Encrypted[]>(
      `SELECT id, ${column} AS value FROM ${table} WHERE id > $1 AND ${column} IS NOT NULL ORDER BY id LIMIT ${BATCH}`,
      [after],
    );
    for (const { id, value } of rows.filter((row) => ctx.secrets.needsReencryption(row.value))) {
      const renewed = ctx.secrets.encrypt(ctx.secrets.decrypt(value));
      // A rotation meanwhile has written a newer secret, under APP_SECRET already.
      await ctx.db.query(`UPDATE ${table} SET ${column} = $1 WHERE id = $2 AND ${column} = $3`, [
        renewed,
        id,
        value,
      ]);
      written += 1;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return written;
    after = last.id;
  }
}
