import { createApiKey } from "../../commands/stores/api-key";
import { deleteApiKey } from "../../commands/stores/delete-api-key";
import { listApiKeys, readApiKey } from "../../commands/stores/list-api-keys";
import { emailsOfMakers } from "../../commands/stores/makers";
import { presentApiKey } from "./present";
import { presentPage } from "../http/present-page";
import { route } from "../http/route";
import { createApiKeyBody } from "./request";
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
      "A key has full access to its store. A key that was created by another key is deleted with that key and expires no later.",
    body: createApiKeyBody,
    success: 201,
    answer: apiKeyWithText,
    errors: ["limit-reached"],
    async handle({ ctx, role, params: { storeId }, body }) {
      const { record, apiKey } = await createApiKey(ctx, { ...body, storeId });
      return { ...presentApiKey(record, await emailsOfMakers(ctx, role, [record])), apiKey };
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
      const emails = await emailsOfMakers(ctx, role, page.items);
      return presentPage(page, (key) => presentApiKey(key, emails));
    },
  }),
  route({
    method: "get",
    path: `${KEYS}/current`,
    operationId: "readCurrentApiKey",
    tags: ["API keys"],
    summary: "Read the API key of this request",
    answer: apiKeyAnswer,
    errors: ["api-key-not-found"],
    keyOnly: true,
    handle: async ({ ctx, params: { storeId } }) =>
      presentApiKey(await readApiKey(ctx, storeId, ctx.actor.id ?? ""), new Map()),
  }),
  route({
    method: "delete",
    path: `${KEYS}/:keyId`,
    operationId: "deleteApiKey",
    role: "owner",
    sudo: true,
    tags: ["API keys"],
    summary: "Delete an API key and the keys created with it",
    handle: ({ ctx, params: { storeId, keyId } }) => deleteApiKey(ctx, storeId, keyId),
  }),
];
