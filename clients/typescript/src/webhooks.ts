import { path, type Connection, type RequestOptions } from "./connection";
import type { components, operations } from "./generated";
import { everyEntry, type Page } from "./pages";

type Schemas = components["schemas"];
export type Webhook = Schemas["Webhook"];
/** With the secret, which is shown here and never again. */
export type WebhookWithSecret = Schemas["WebhookWithSecret"];
export type Delivery = Schemas["Delivery"];
export type DeliveryDetail = Schemas["DeliveryDetail"];
export type DeliveryRequest = Schemas["DeliveryRequest"];
export type DeliveryFilter = NonNullable<operations["listDeliveries"]["parameters"]["query"]>;

export class Webhooks {
  readonly #connection: Connection;
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  create(webhook: Schemas["CreateWebhook"], options?: RequestOptions): Promise<WebhookWithSecret> {
    return this.#connection.json("POST", `${this.#connection.store}/webhooks`, { ...options, body: webhook });
  }

  get(webhookId: string, options?: RequestOptions): Promise<Webhook> {
    return this.#connection.json("GET", this.#path(webhookId), options);
  }

  /** Newest first. */
  list(options?: RequestOptions) {
    return everyEntry<Webhook>((cursor) =>
      this.#connection.json("GET", `${this.#connection.store}/webhooks`, { ...options, query: { cursor } }),
    );
  }

  change(webhookId: string, changes: Schemas["ChangeWebhook"], options?: RequestOptions): Promise<Webhook> {
    return this.#connection.json("PATCH", this.#path(webhookId), { ...options, body: changes });
  }

  delete(webhookId: string, options?: RequestOptions): Promise<void> {
    return this.#connection.json("DELETE", this.#path(webhookId), options);
  }

  rotateSecret(
    webhookId: string,
    rotation: Schemas["RotateWebhookSecret"] = {},
    options?: RequestOptions,
  ): Promise<WebhookWithSecret> {
    return this.#connection.json("POST", `${this.#path(webhookId)}/rotate-secret`, {
      ...options,
      body: rotation,
    });
  }

  /** Sends a test event, marked by the header X-Service-Test. */
  test(webhookId: string, test: Schemas["TestWebhook"] = {}, options?: RequestOptions): Promise<Delivery> {
    return this.#connection.json("POST", `${this.#path(webhookId)}/test`, { ...options, body: test });
  }

  #path(webhookId: string): string {
    return `${this.#connection.store}${path`/webhooks/${webhookId}`}`;
  }
}

export class Deliveries {
  readonly #connection: Connection;
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Newest first. */
  list(webhookId: string, filter: Omit<DeliveryFilter, "cursor"> = {}, options?: RequestOptions) {
    return everyEntry((cursor) =>
      this.page(webhookId, { ...filter, ...(cursor === undefined ? {} : { cursor }) }, options),
    );
  }

  page(webhookId: string, filter: DeliveryFilter = {}, options?: RequestOptions): Promise<Page<Delivery>> {
    return this.#connection.json("GET", this.#path(webhookId), { ...options, query: filter });
  }

  /** With its attempts. */
  get(webhookId: string, deliveryId: string, options?: RequestOptions): Promise<DeliveryDetail> {
    return this.#connection.json("GET", `${this.#path(webhookId)}${path`/${deliveryId}`}`, options);
  }

  /** The request as it was sent last, or as it would be sent. */
  request(webhookId: string, deliveryId: string, options?: RequestOptions): Promise<DeliveryRequest> {
    return this.#connection.json("GET", `${this.#path(webhookId)}${path`/${deliveryId}/request`}`, options);
  }

  redeliver(webhookId: string, deliveryId: string, options?: RequestOptions): Promise<Delivery> {
    return this.#connection.json(
      "POST",
      `${this.#path(webhookId)}${path`/${deliveryId}/redeliver`}`,
      options,
    );
  }

  /** Sends all that fit again, by default the failed ones. Returns how many. */
  redeliverMany(
    webhookId: string,
    filter: Schemas["RedeliverManyFilter"] = {},
    options?: RequestOptions,
  ): Promise<Schemas["RedeliverMany"]> {
    return this.#connection.json("POST", `${this.#path(webhookId)}/redeliver`, { ...options, body: filter });
  }

  #path(webhookId: string): string {
    return `${this.#connection.store}${path`/webhooks/${webhookId}/deliveries`}`;
  }
}
