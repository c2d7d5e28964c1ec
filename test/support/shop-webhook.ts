import { createHmac } from "node:crypto";
import type { CommandContext } from "../../commands/context";
import { createWebhook, type DialectSettings } from "../../commands/webhooks/create-webhook";
import type { Store } from "../../entities/store";
import type { Received } from "./receiver";

/** As a shop plugin makes it: with a secret of its own, all events, and redelivery. */
export async function buildShopWebhook(
  ctx: CommandContext,
  store: Store,
  url: string,
  given: Partial<DialectSettings> = {},
): Promise<string> {
  const dialect = { automaticRedelivery: true, specificEvents: null, secret: SHOP_SECRET, ...given };
  const { webhook } = await createWebhook(ctx, { storeId: store.id, url, dialect });
  return webhook.id;
}

export const SHOP_SECRET = "a secret of the shop, as it is: é";

/** A delivery's body as plugins read it. */
export interface ShopEvent {
  deliveryId: string;
  originalDeliveryId: string;
  isRedelivery: boolean;
  webhookId: string;
  type: string;
  timestamp: number;
  storeId: string;
  invoiceId: string;
  metadata: Record<string, unknown>;
  [flag: string]: unknown;
}

export const shopEventOf = ({ body }: Received): ShopEvent => JSON.parse(body.toString()) as ShopEvent;

/** As the plugins do: the HMAC of the raw body, keyed with the secret's text. */
export function shopSignatureHolds({ headers, body }: Received, secret = SHOP_SECRET): boolean {
  return headers["btcpay-sig"] === `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}
