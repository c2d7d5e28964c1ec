import { invalidField } from "../../domain/errors";
import { withoutUnderscores } from "../../domain/greenfield/key-text";
import { parseConnectionRequest, type ConnectionRequest } from "../../domain/greenfield/connection-request";
import { policiesInStore } from "../../domain/greenfield/permissions";
import { SHOP_ORIGINS_MAX } from "../../domain/shop-origins";
import type { CommandContext } from "../context";
import { addApiKey } from "./api-key";
import { lockStore } from "../../database/rows";
import { writeStoreChanges } from "./change-store";
import { inTransaction, type Tx } from "../transaction";

export interface ConnectApplicationInput extends ConnectionRequest {
  storeId: string;
  mayFrameCheckout: boolean;
}

/**
 * As far as what it asked for exists. The answer is sent to the application, or shown where it named no redirect.
 * @throws DomainError as `createApiKey` and `parseConnectionRequest` do; `validation-failed` at `/mayFrameCheckout`.
 */
export async function connectApplication(
  ctx: CommandContext,
  { storeId, mayFrameCheckout, ...request }: ConnectApplicationInput,
) {
  const connection = parseConnectionRequest(request, ctx.settings.network);
  const { name, given, redirect } = connection;
  if (mayFrameCheckout && redirect === null)
    throw invalidField("/mayFrameCheckout", "Needs a redirect: its website would frame the checkout.");
  return inTransaction(ctx, async (tx) => {
    const sentTo = redirect === null ? {} : { sentTo: redirect.origin };
    const { apiKey } = await addApiKey(tx, { storeId, name, permissions: given, ...sentTo });
    if (mayFrameCheckout && redirect !== null) await addCheckoutOrigin(tx, storeId, redirect.origin);
    return {
      ...connection,
      apiKey: withoutUnderscores(apiKey),
      permissions: policiesInStore(given, storeId),
    };
  });
}

async function addCheckoutOrigin(tx: Tx, storeId: string, origin: string): Promise<void> {
  const store = await lockStore(tx.manager, storeId);
  const { checkoutOrigins: before } = store;
  if (before.includes(origin)) return;
  if (before.length >= SHOP_ORIGINS_MAX)
    throw invalidField(
      "/mayFrameCheckout",
      `The store lists ${SHOP_ORIGINS_MAX} websites already. Remove one first.`,
    );
  await writeStoreChanges(tx, store, { checkoutOrigins: [...before, origin] });
}
