import { z } from "zod";
import { changeDialectWebhook } from "../../commands/webhooks/change-dialect-webhook";
import { createWebhook } from "../../commands/webhooks/create-webhook";
import { deleteWebhook } from "../../commands/webhooks/delete-webhook";
import { listDialectWebhooks, readDialectWebhook } from "../../commands/webhooks/list-webhooks";
import { greenfieldRoute } from "./route";
import { presentWebhook, webhookAnswer, webhookWithSecretAnswer } from "./webhook-answer";
import { webhookBody, webhookInput } from "./webhook-request";

const needs = "btcpay.store.webhooks.canmodifywebhooks";
const WEBHOOKS = "/stores/:storeId/webhooks";

/** Without native webhooks, which a plugin cannot express and must not delete. */
export const webhookRoutes = [
  greenfieldRoute({
    method: "get",
    path: WEBHOOKS,
    needs,
    answer: z.array(webhookAnswer),
    handle: async ({ ctx, params: { storeId } }) =>
      (await listDialectWebhooks(ctx, storeId)).map(presentWebhook),
  }),
  greenfieldRoute({
    method: "post",
    path: WEBHOOKS,
    needs,
    body: webhookBody,
    answer: webhookWithSecretAnswer,
    async handle({ ctx, params: { storeId }, body }) {
      const { url, enabled, ...dialect } = webhookInput(body);
      const { webhook, secret } = await createWebhook(ctx, { storeId, url, enabled, dialect });
      return { ...presentWebhook(webhook), secret };
    },
  }),
  greenfieldRoute({
    method: "get",
    path: `${WEBHOOKS}/:webhookId`,
    needs,
    answer: webhookAnswer,
    handle: async ({ ctx, params: { storeId, webhookId } }) =>
      presentWebhook(await readDialectWebhook(ctx, storeId, webhookId)),
  }),
  greenfieldRoute({
    method: "put",
    path: `${WEBHOOKS}/:webhookId`,
    needs,
    body: webhookBody,
    answer: webhookAnswer,
    handle: async ({ ctx, params, body }) =>
      presentWebhook(await changeDialectWebhook(ctx, params, webhookInput(body))),
  }),
  greenfieldRoute({
    method: "delete",
    path: `${WEBHOOKS}/:webhookId`,
    needs,
    answer: z.strictObject({}),
    async handle({ ctx, params: { storeId, webhookId } }) {
      await readDialectWebhook(ctx, storeId, webhookId); // a native one is not found
      await deleteWebhook(ctx, storeId, webhookId);
      return {};
    },
  }),
];
