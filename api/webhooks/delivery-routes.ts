import { checkWebhook, listDeliveries, readDelivery } from "../../commands/webhooks/list-deliveries";
import { readDeliveryRequest } from "../../commands/webhooks/read-delivery-request";
import { redeliverWebhook, redeliverWebhooks } from "../../commands/webhooks/redeliver-webhook";
import { presentDelivery, presentDeliveryDetail, presentDeliveryRequest } from "./present-delivery";
import { presentPage } from "../http/present-page";
import { route } from "../http/route";
import { listDeliveriesQuery, redeliverManyBody } from "./delivery-request";
import {
  deliveryAnswer,
  deliveryDetailAnswer,
  deliveryPage,
  deliveryRequestAnswer,
  redeliverManyAnswer,
} from "./delivery-answer";
import { emptyBody } from "../http/schemas/text";

const DELIVERIES = "/stores/:storeId/webhooks/:webhookId/deliveries";

export const deliveryRoutes = [
  route({
    method: "get",
    path: DELIVERIES,
    operationId: "listDeliveries",
    access: ["read"],
    tags: ["Deliveries"],
    summary: "List a webhook's deliveries, newest first",
    query: listDeliveriesQuery,
    answer: deliveryPage,
    large: true,
    async handle({ ctx, params, query: { limit, cursor, ...filter } }) {
      return presentPage(await listDeliveries(ctx, params, filter, { limit, cursor }), presentDelivery);
    },
  }),
  route({
    method: "get",
    path: `${DELIVERIES}/:deliveryId`,
    operationId: "readDelivery",
    access: ["read"],
    tags: ["Deliveries"],
    summary: "Read a delivery with its attempts",
    answer: deliveryDetailAnswer,
    large: true,
    handle: async ({ ctx, params }) => presentDeliveryDetail(await readDelivery(ctx, params)),
  }),
  route({
    method: "post",
    path: `${DELIVERIES}/:deliveryId/redeliver`,
    operationId: "redeliver",
    sudo: false,
    tags: ["Deliveries"],
    summary: "Redeliver a delivery",
    body: emptyBody,
    success: 202,
    answer: deliveryAnswer,
    errors: ["delivery-in-progress", "pruned"],
    async handle({ ctx, params }) {
      await checkWebhook(ctx, params);
      await redeliverWebhook(ctx, params);
      return presentDelivery(await readDelivery(ctx, params));
    },
  }),
  route({
    method: "post",
    path: `${DELIVERIES}/redeliver`,
    operationId: "redeliverMany",
    sudo: false,
    tags: ["Deliveries"],
    summary: "Redeliver many deliveries, by default those that failed",
    description:
      "One request of a store at a time; another is refused (`rate-limited`). After 30 seconds the response is 503, and the service continues with the rest. If it stops meanwhile, what was requested stays so: repeat the request for the rest.",
    body: redeliverManyBody,
    success: 202,
    answer: redeliverManyAnswer,
    async handle({ ctx, params, body, bulk }) {
      await checkWebhook(ctx, params);
      return { count: await bulk(() => redeliverWebhooks(ctx, params, body)) };
    },
  }),
  route({
    method: "get",
    path: `${DELIVERIES}/:deliveryId/request`,
    operationId: "readDeliveryRequest",
    role: "member",
    tags: ["Deliveries"],
    summary: "Read the request of a delivery's last attempt",
    description:
      "The headers and the body exactly as they were sent, byte for byte; `url` is the webhook's current URL. Before the first attempt there are no signatures.",
    answer: deliveryRequestAnswer,
    errors: ["pruned"],
    handle: async ({ ctx, params }) => presentDeliveryRequest(await readDeliveryRequest(ctx, params)),
  }),
];
