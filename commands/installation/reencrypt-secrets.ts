import { Installation, SECRET_CHECK_PLACE } from "../../entities/installation";
import type { CommandContext } from "../context";
import type { SealedPlace } from "../ports";
import { renewRows } from "../server/authentic-rows";
import { renewMacs } from "./renew-macs";
import { SEALED, SEALED_BATCH } from "./queries";
import { sealedPlace } from "../server/sealed-places";

/**
 * Also MACs, and finally the check value. Reads everything every time: while processes are restarted one by one, some
 * still write under the former secret. Returns how many values were written.
 */
export async function reencryptSecrets(ctx: CommandContext): Promise<number> {
  const { manager } = ctx.db;
  const installation = await manager.findOneBy(Installation, { singleton: true });
  if (!installation) return 0;
  let written = (await renewMacs(ctx)) + (await renewRows(ctx));
  for (const place of SEALED) written += await reencryptColumn(ctx, place);
  const { secretCheck } = installation;
  if (ctx.secrets.needsReencryption(secretCheck)) {
    const text = ctx.secrets.decrypt(secretCheck, SECRET_CHECK_PLACE);
    const renewed = ctx.secrets.encrypt(text, SECRET_CHECK_PLACE);
    await manager.update(Installation, { singleton: true, secretCheck }, { secretCheck: renewed });
    written += 1;
  }
  if (written > 0)
    ctx.log.info({ written }, "secrets: all encrypted with APP_SECRET, APP_SECRET_OLD can be removed");
  return written;
}

async function reencryptColumn(
  ctx: CommandContext,
  { readValues, replaceValue, ...column }: (typeof SEALED)[number],
): Promise<number> {
  const { manager } = ctx.db;
  let written = 0;
  for (let after = ""; ;) {
    const { rows } = await readValues(manager, after);
    for (const { id, value } of rows) {
      const renewed = renewedValue(ctx, value, { ...column, row: id });
      if (renewed === null) continue;
      // A rotation meanwhile has written a newer secret.
      await replaceValue(manager, id, value, renewed);
      written += 1;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < SEALED_BATCH) return written;
    after = last.id;
  }
}

/** Null: unchanged, or not written by this service, which must not fail the others. */
function renewedValue({ secrets, log }: CommandContext, value: Buffer, stored: SealedPlace): Buffer | null {
  const place = sealedPlace(stored, stored.row);
  let text: string;
  try {
    if (!secrets.needsReencryption(value)) return null;
    text = secrets.decrypt(value, place);
  } catch (error) {
    log.error({ err: error, ...stored }, "secrets: value cannot be read");
    return null;
  }
  return secrets.encrypt(text, place);
}
