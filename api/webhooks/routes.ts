import { changeWebhook } from "../../commands/webhooks/change-webhook";
import { createWebhook } from "../../commands/webhooks/create-webhook";
import { deleteWebhook } from "../../commands/webhooks/delete-webhook";
import { listWebhooks, readWebhook } from "../../commands/webhooks/list-webhooks";
import { emailsOfCreators } from "../../commands/stores/creators";
import { rotateWebhookSecret } from "../../commands/webhooks/rotate-webhook-secret";
import { testWebhook } from "../../commands/webhooks/test-webhook";
import type { Webhook } from "../../entities/webhook";
import { presentDelivery } from "./present-delivery";
import { presentPage } from "../http/present-page";
import { presentWebhook } from "./present";
import { route, type RouteRequest } from "../http/route";
import { pageQuery } from "../http/schemas/page";
import { deliveryAnswer } from "./delivery-answer";
import { changeWebhookBody, createWebhookBody, rotateSecretBody, testWebhookBody } from "./request";
import { webhookAnswer, webhookPage, webhookWithSecret } from "./answer";

const shown = async (
  { ctx, role }: Pick<RouteRequest<unknown, unknown, unknown>, "ctx" | "role">,
  webhook: Webhook,
) => presentWebhook(webhook, role, await emailsOfCreators(ctx, role, [webhook]));

export const webhookRoutes = [
  route({
    method: "post",
    path: "/stores/:storeId/webhooks",
    operationId: "createWebhook",
    role: "owner",
    sudo: true,
    tags: ["Webhooks"],
    summary: "Create a webhook; its secret is shown once",
    body: createWebhookBody,
    success: 201,
    answer: webhookWithSecret,
    errors: ["limit-reached"],
    async handle({ ctx, role, params: { storeId }, body }) {
      const { webhook, secret } = await createWebhook(ctx, { ...body, storeId });
      return { ...(await shown({ ctx, role }, webhook)), secret };
    },
  }),
  route({
    method: "get",
    path: "/stores/:storeId/webhooks",
    operationId: "listWebhooks",
    access: ["read"],
    tags: ["Webhooks"],
    summary: "List webhooks, newest first",
    query: pageQuery,
    answer: webhookPage,
    async handle({ ctx, role, params: { storeId }, query }) {
      const page = await listWebhooks(ctx, storeId, query);
      const emails = await emailsOfCreators(ctx, role, page.items);
      return presentPage(page, (webhook) => presentWebhook(webhook, role, emails));
    },
  }),
  route({
    method: "get",
    path: "/stores/:storeId/webhooks/:webhookId",
    operationId: "readWebhook",
    access: ["read"],
    tags: ["Webhooks"],
    summary: "Read a webhook",
    answer: webhookAnswer,
    handle: async ({ ctx, role, params: { storeId, webhookId } }) =>
      shown({ ctx, role }, await readWebhook(ctx, storeId, webhookId)),
  }),
  route({
    method: "delete",
    path: "/stores/:storeId/webhooks/:webhookId",
    operationId: "deleteWebhook",
    role: "owner",
    sudo: true,
    tags: ["Webhooks"],
    summary: "Delete a webhook; its deliveries can still be read and redelivered",
    handle: ({ ctx, params: { storeId, webhookId } }) => deleteWebhook(ctx, storeId, webhookId),
  }),
  route({
    method: "patch",
    path: "/stores/:storeId/webhooks/:webhookId",
    operationId: "changeWebhook",
    role: "owner",
    sudo: true,
    tags: ["Webhooks"],
    summary: "Change a webhook's URL and events, enable or disable it",
    description:
      "Fields that are left out keep their values. A new `url` or `enabled` applies to every delivery that has not been sent yet, `events` to events that happen from now on.",
    body: changeWebhookBody,
    answer: webhookAnswer,
    handle: async ({ ctx, role, params: { storeId, webhookId }, body }) =>
      shown({ ctx, role }, await changeWebhook(ctx, storeId, webhookId, body)),
  }),
  route({
    method: "post",
    path: "/stores/:storeId/webhooks/:webhookId/rotate-secret",
    operationId: "rotateWebhookSecret",
    role: "owner",
    sudo: true,
    tags: ["Webhooks"],
    summary: "Create a new signing secret; it is shown once",
    description:
      "From now on `X-Service-Sig` is made with the new secret only. `webhook-signature` has signatures made with both secrets for `overlapSeconds` (a day by default; 0 drops the old secret at once).",
    body: rotateSecretBody,
    answer: webhookWithSecret,
    async handle({ ctx, role, params: { storeId, webhookId }, body: { overlapSeconds } }) {
      const { webhook, secret } = await rotateWebhookSecret(ctx, storeId, webhookId, overlapSeconds);
      return { ...(await shown({ ctx, role }, webhook)), secret };
    },
  }),
  route({
    method: "post",
    path: "/stores/:storeId/webhooks/:webhookId/test",
    operationId: "testWebhook",
    sudo: false,
    tags: ["Webhooks"],
    summary: "Send a test event",
    description:
      "It is delivered like any other event, whichever events the webhook receives. Its invoice does not exist, and its header `X-Service-Test` is `true`.",
    body: testWebhookBody,
    success: 202,
    answer: deliveryAnswer,
    handle: async ({ ctx, params, body: { type } }) => presentDelivery(await testWebhook(ctx, params, type)),
  }),
];
