import { createApiKey } from "../../commands/stores/api-key";
import { deleteApiKey } from "../../commands/stores/delete-api-key";
import { listApiKeys, readApiKey, webhooksOfKeys } from "../../commands/stores/list-api-keys";
import { emailsOfCreators } from "../../commands/stores/creators";
import { presentApiKey } from "./present";
import { presentPage } from "../http/present-page";
import { route } from "../http/route";
import { createApiKeyBody, deleteApiKeyQuery } from "./request";
import { apiKeyAnswer, apiKeyPage, apiKeyWithText } from "./answer";
import { pageQuery } from "../http/schemas/page";

const KEYS = "/stores/:storeId/api-keys";

export const apiKeyRoutes = [
  route({
    method: "post",
    path: KEYS,
    operationId: "createApiKey",
    role: "owner",
    sudo: true,
    tags: ["API keys"],
    summary: "Create an API key; it is shown once",
    description:
      "A key has full access to its store unless `access` says less. A key that was created by another key is deleted with that key and expires no later.",
    body: createApiKeyBody,
    success: 201,
    answer: apiKeyWithText,
    errors: ["limit-reached"],
    async handle({ ctx, role, params: { storeId }, body }) {
      const { record, apiKey } = await createApiKey(ctx, { ...body, storeId });
      const emails = await emailsOfCreators(ctx, role, [record]);
      return { ...presentApiKey(record, { emails, webhooks: new Map() }), apiKey };
    },
  }),
  route({
    method: "get",
    path: KEYS,
    operationId: "listApiKeys",
    role: "owner",
    tags: ["API keys"],
    summary: "List API keys, newest first, including expired ones",
    query: pageQuery,
    answer: apiKeyPage,
    async handle({ ctx, role, params: { storeId }, query }) {
      const page = await listApiKeys(ctx, storeId, query);
      const about = {
        emails: await emailsOfCreators(ctx, role, page.items),
        webhooks: await webhooksOfKeys(ctx, storeId, page.items),
      };
      return presentPage(page, (key) => presentApiKey(key, about));
    },
  }),
  route({
    method: "get",
    path: `${KEYS}/current`,
    operationId: "readCurrentApiKey",
    access: ["create-and-read-invoices", "read"],
    tags: ["API keys"],
    summary: "Read the API key of this request",
    answer: apiKeyAnswer,
    errors: ["api-key-not-found"],
    keyOnly: true,
    async handle({ ctx, params: { storeId } }) {
      const key = await readApiKey(ctx, storeId, ctx.actor.id ?? "");
      return presentApiKey(key, { emails: new Map(), webhooks: await webhooksOfKeys(ctx, storeId, [key]) });
    },
  }),
  route({
    method: "delete",
    path: `${KEYS}/:keyId`,
    operationId: "deleteApiKey",
    role: "owner",
    sudo: true,
    tags: ["API keys"],
    summary: "Delete an API key and the keys created with it",
    description:
      "Webhooks stay by default, since a shop needs its webhook when its key is replaced. With `webhooks=delete` those are deleted too whose present URL was set by one of these keys: use it for a key that was stolen.",
    query: deleteApiKeyQuery,
    handle: ({ ctx, params: { storeId, keyId }, query }) => deleteApiKey(ctx, { storeId, keyId, ...query }),
  }),
];
