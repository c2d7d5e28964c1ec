import { InvalidArgumentError, Option, type Command } from "commander";
import type { CommandContext } from "../../commands/context";
import { createWebhook } from "../../commands/webhooks/create-webhook";
import { redeliverWebhook, redeliverWebhooks } from "../../commands/webhooks/redeliver-webhook";
import { DomainError, invalidField } from "../../domain/errors";
import { EVENT_TYPES, type EventType } from "../../domain/invoice/status";
import { Store } from "../../entities/store";
import { withContext } from "./context";
import { answering, type Terminal } from "./terminal";

interface CreateOptions {
  store: string;
  url: string;
  events?: EventType[];
}

interface RedeliverOptions {
  store: string;
  delivery?: string;
  failed?: boolean;
}

function eventTypes(text: string): EventType[] {
  return text.split(",").map((item) => {
    const type = EVENT_TYPES.find((known) => known === item.trim());
    if (type === undefined)
      throw new InvalidArgumentError(`"${item.trim()}" is not an event. Use ${EVENT_TYPES.join(", ")}.`);
    return type;
  });
}

async function redeliver(ctx: CommandContext, options: RedeliverOptions): Promise<number> {
  const { store: storeId, delivery: deliveryId } = options;
  if (!(await ctx.db.manager.existsBy(Store, { id: storeId })))
    throw new DomainError("store-not-found", "Store not found.");
  if (deliveryId === undefined) return redeliverWebhooks(ctx, { storeId }, { state: "failed" });
  await redeliverWebhook(ctx, { storeId, deliveryId });
  return 1;
}

export function addWebhookCommands(cli: Command, terminal: Terminal): void {
  const webhook = cli.command("webhook").description("where a store's events are sent");
  webhook
    .command("create")
    .description("register an endpoint and print its signing secret once")
    .requiredOption("--store <id>", "the store's id")
    .requiredOption("--url <url>", "the endpoint")
    .option("--events <types>", `of ${EVENT_TYPES.join(",")}; default all`, eventTypes)
    .action(
      answering(terminal, async ({ store, url, events }: CreateOptions) => {
        const created = await withContext(terminal, ["APP_SECRET"], (ctx) =>
          createWebhook(ctx, { storeId: store, url, ...(events === undefined ? {} : { events }) }),
        );
        return {
          json: { webhookId: created.webhook.id, secret: created.secret },
          text: `Webhook: ${created.webhook.id}\nSigning secret (shown only once): ${created.secret}`,
        };
      }),
    );
  webhook
    .command("redeliver")
    .description("redeliver by hand")
    .requiredOption("--store <id>", "the store's id")
    .option("--delivery <id>", "this one")
    .addOption(new Option("--failed", "all that failed").conflicts("delivery"))
    .action(
      answering(terminal, async (options: RedeliverOptions) => {
        if (options.delivery === undefined && options.failed !== true)
          throw invalidField("/delivery", "Use --delivery with an id, or --failed for all that failed.");
        const count = await withContext(terminal, [], (ctx) => redeliver(ctx, options));
        return {
          json: { count },
          text: `${count} ${count === 1 ? "delivery" : "deliveries"} will be redelivered.`,
        };
      }),
    );
}
