import { createWebhook } from "../../commands/create-webhook";
import { deleteWebhook } from "../../commands/delete-webhook";
import { listWebhooks, readWebhook } from "../../commands/list-webhooks";
import { presentPage } from "../presenters/page";
import { presentWebhook } from "../presenters/webhook";
import { route } from "../route";
import { pageQuery } from "../schemas/page";
import { noQuery } from "../schemas/text";
import { createWebhookBody } from "../schemas/webhook";
import { webhookAnswer, webhookPage, webhookWithSecret } from "../schemas/webhook-answer";

export const webhookRoutes = [
  route({
    method: "post",
    path: "/stores/:storeId/webhooks",
    operationId: "createWebhook",
    tags: ["Webhooks"],
    summary: "Register an endpoint for events; the secret is shown here and never again",
    query: noQuery,
    body: createWebhookBody,
    success: 201,
    answer: webhookWithSecret,
    errors: [],
    async handle({ ctx, params: { storeId }, body }) {
      const { webhook, secret } = await createWebhook(ctx, { ...body, storeId });
      return { ...presentWebhook(webhook), secret };
    },
  }),
  route({
    method: "get",
    path: "/stores/:storeId/webhooks",
    operationId: "listWebhooks",
    tags: ["Webhooks"],
    summary: "List webhooks, newest first",
    query: pageQuery,
    body: null,
    success: 200,
    answer: webhookPage,
    errors: [],
    async handle({ ctx, params: { storeId }, query }) {
      return presentPage(await listWebhooks(ctx, storeId, query), presentWebhook);
    },
  }),
  route({
    method: "get",
    path: "/stores/:storeId/webhooks/:webhookId",
    operationId: "readWebhook",
    tags: ["Webhooks"],
    summary: "Read a webhook",
    query: noQuery,
    body: null,
    success: 200,
    answer: webhookAnswer,
    errors: [],
    handle: async ({ ctx, params: { storeId, webhookId } }) =>
      presentWebhook(await readWebhook(ctx, storeId, webhookId)),
  }),
  route({
    method: "delete",
    path: "/stores/:storeId/webhooks/:webhookId",
    operationId: "deleteWebhook",
    tags: ["Webhooks"],
    summary: "Delete a webhook; its deliveries can still be read and sent by hand",
    query: noQuery,
    body: null,
    success: 204,
    answer: null,
    errors: [],
    handle: ({ ctx, params: { storeId, webhookId } }) => deleteWebhook(ctx, storeId, webhookId),
  }),
];
