import type { CommandContext } from "../context";
import { interruptStuck } from "./attempt-queries";
import { releaseDeliveries } from "./release";
import { notifyChanges } from "../server/notify-changes";

/**
 * Ends the attempts whose worker died while sending: `failed`, error `interrupted`. Whether their request reached the
 * endpoint is unknown, so they are sent again only by hand, or where the webhook asks for automatic redelivery. Returns
 * how many there were.
 */
export async function interruptStuckAttempts(ctx: CommandContext): Promise<number> {
  const now = await ctx.now(ctx.db.manager);
  const { rows } = await interruptStuck(ctx.db.manager, now);
  for (const { deliveryId, attempt, webhookId } of rows)
    ctx.log.warn({ deliveryId, attempt, webhookId }, "webhook: attempt interrupted");
  notifyChanges(
    ctx,
    rows.map(({ storeId, invoiceId, webhookId, deliveryId }) => ({
      topic: "deliveries",
      storeId,
      invoiceId,
      webhookId,
      deliveryId,
    })),
  );
  if (rows.length > 0)
    await releaseDeliveries(
      ctx,
      rows.map((row) => row.webhookId),
    );
  return rows.length;
}
