import { webhookEvent, webhookHeaders } from "../webhooks/event";
import { parametersOf } from "./operation";
import { jsonSchemas, type JsonSchema } from "./schemas";

export function describeWebhook(): { webhooks: object; components: Record<string, JsonSchema> } {
  const { schemas, components } = jsonSchemas({ event: webhookEvent, headers: webhookHeaders }, "answer");
  const event = {
    operationId: "invoiceEvent",
    tags: ["Webhooks"],
    summary: "The status of an invoice changed",
    description:
      "Sent once, with no automatic retry; it can be redelivered by hand. Respond with any 2xx within 10 seconds; " +
      "anything else is a failed delivery. Verify the signature of the raw body before you parse it, and skip an order " +
      "that you have already marked as paid: it can have two `Settled` events.",
    security: [],
    parameters: parametersOf(schemas.headers, "header"),
    requestBody: { required: true, content: { "application/json": { schema: schemas.event } } },
    responses: { "2XX": { description: "The event was received." } },
  };
  return { webhooks: { invoiceEvent: { post: event } }, components };
}
