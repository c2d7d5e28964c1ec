import { changeWebhook } from "../../commands/change-webhook";
import { createWebhook } from "../../commands/create-webhook";
import { deleteWebhook } from "../../commands/delete-webhook";
import { listWebhooks, readWebhook } from "../../commands/list-webhooks";
import { rotateWebhookSecret } from "../../commands/rotate-webhook-secret";
import { testWebhook } from "../../commands/test-webhook";
import { presentDelivery } from "../presenters/delivery";
import { presentPage } from "../presenters/page";
import { presentWebhook } from "../presenters/webhook";
import { route } from "../route";
import { pageQuery } from "../schemas/page";
import { noQuery } from "../schemas/text";
import { deliveryAnswer } from "../schemas/delivery-answer";
import { changeWebhookBody, createWebhookBody, rotateSecretBody, testWebhookBody } from "../schemas/webhook";
import { webhookAnswer, webhookPage, webhookWithSecret } from "../schemas/webhook-answer";

export const webhookRoutes = [
  route({
    method: "post",
    path: "/stores/:storeId/webhooks",
    operationId: "createWebhook",
    role: "owner",
    sudo: true,
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
    role: "owner",
    tags: ["Webhooks"],
    summary: "Delete a webhook; its deliveries can still be read and sent by hand",
    query: noQuery,
    body: null,
    success: 204,
    answer: null,
    errors: [],
    handle: ({ ctx, params: { storeId, webhookId } }) => deleteWebhook(ctx, storeId, webhookId),
  }),
  route({
    method: "patch",
    path: "/stores/:storeId/webhooks/:webhookId",
    operationId: "changeWebhook",
    role: "owner",
    sudo: true,
    tags: ["Webhooks"],
    summary: "Change a webhook's URL and events, switch it on or off",
    description:
      "What is left out stays. URL and switch hold for everything that has not left yet, the events for those that happen from now on.",
    query: noQuery,
    body: changeWebhookBody,
    success: 200,
    answer: webhookAnswer,
    errors: [],
    handle: async ({ ctx, params: { storeId, webhookId }, body }) =>
      presentWebhook(await changeWebhook(ctx, storeId, webhookId, body)),
  }),
  route({
    method: "post",
    path: "/stores/:storeId/webhooks/:webhookId/rotate-secret",
    operationId: "rotateWebhookSecret",
    role: "owner",
    sudo: true,
    tags: ["Webhooks"],
    summary: "Make a new signing secret; it is shown here and never again",
    description:
      "`X-Service-Sig` is made with the new secret from now on. In `webhook-signature` the old one signs beside it for `overlapSeconds` (a day unless you say otherwise; 0 forgets it at once).",
    query: noQuery,
    body: rotateSecretBody,
    success: 200,
    answer: webhookWithSecret,
    errors: [],
    async handle({ ctx, params: { storeId, webhookId }, body: { overlapSeconds } }) {
      const { webhook, secret } = await rotateWebhookSecret(ctx, storeId, webhookId, overlapSeconds);
      return { ...presentWebhook(webhook), secret };
    },
  }),
  route({
    method: "post",
    path: "/stores/:storeId/webhooks/:webhookId/test",
    operationId: "testWebhook",
    tags: ["Webhooks"],
    summary: "Send a made-up event",
    description:
      "A delivery like any other, whatever the webhook is subscribed to. Its invoice does not exist, and its header `X-Service-Test` is `true`.",
    query: noQuery,
    body: testWebhookBody,
    success: 202,
    answer: deliveryAnswer,
    errors: [],
    handle: async ({ ctx, params, body: { type } }) => presentDelivery(await testWebhook(ctx, params, type)),
  }),
];
