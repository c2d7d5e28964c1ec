import { webhookEvent, webhookHeaders } from "../schemas/webhook-event";
import { jsonSchemas, type JsonSchema } from "./schemas";

/** The request that we send to a webhook. */
export function describeWebhook(): { webhooks: object; components: Record<string, JsonSchema> } {
  const { schemas, components } = jsonSchemas({ event: webhookEvent, headers: webhookHeaders }, "answer");
  const { properties = {}, required = [] } = schemas.headers;
  const parameters = Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "header",
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
  const event = {
    operationId: "invoiceEvent",
    tags: ["Webhooks"],
    summary: "An invoice took another status",
    description:
      "Sent once by itself and again by hand. Answer with any 2xx within 10 seconds; all else counts as failed. " +
      "Check the signature over the body's bytes before you parse them, and act on each event id once.",
    security: [],
    parameters,
    requestBody: { required: true, content: { "application/json": { schema: schemas.event } } },
    responses: { "2XX": { description: "The event was received." } },
  };
  return { webhooks: { invoiceEvent: { post: event } }, components };
}
