import { createWebhook } from "../../commands/create-webhook";
import { deleteWebhook } from "../../commands/delete-webhook";
import { listWebhooks, readWebhook } from "../../commands/list-webhooks";
import { presentPage } from "../presenters/page";
import { presentWebhook } from "../presenters/webhook";
import { route } from "../route";
import { pageQuery } from "../schemas/page";
import { noQuery } from "../schemas/text";
import { createWebhookBody } from "../schemas/webhook";

export const webhookRoutes = [
  route({
    method: "post",
    path: "/stores/:storeId/webhooks",
    summary: "Register an endpoint for events; the secret is shown here and never again",
    query: noQuery,
    body: createWebhookBody,
    success: 201,
    async handle({ ctx, params: { storeId }, body }) {
      const { webhook, secret } = await createWebhook(ctx, { ...body, storeId });
      return { ...presentWebhook(webhook), secret };
    },
  }),
  route({
    method: "get",
    path: "/stores/:storeId/webhooks",
    summary: "List webhooks, newest first",
    query: pageQuery,
    body: null,
    success: 200,
    async handle({ ctx, params: { storeId }, query }) {
      return presentPage(await listWebhooks(ctx, storeId, query), presentWebhook);
    },
  }),
  route({
    method: "get",
    path: "/stores/:storeId/webhooks/:webhookId",
    summary: "Read a webhook",
    query: noQuery,
    body: null,
    success: 200,
    handle: async ({ ctx, params: { storeId, webhookId } }) =>
      presentWebhook(await readWebhook(ctx, storeId, webhookId)),
  }),
  route({
    method: "delete",
    path: "/stores/:storeId/webhooks/:webhookId",
    summary: "Delete a webhook; its deliveries can still be read and sent by hand",
    query: noQuery,
    body: null,
    success: 204,
    handle: ({ ctx, params: { storeId, webhookId } }) => deleteWebhook(ctx, storeId, webhookId),
  }),
];
