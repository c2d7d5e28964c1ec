import { createApiKey } from "../../commands/api-key";
import { deleteApiKey } from "../../commands/delete-api-key";
import { listApiKeys, readApiKey } from "../../commands/list-api-keys";
import { presentApiKey } from "../presenters/api-key";
import { presentPage } from "../presenters/page";
import { route } from "../route";
import { createApiKeyBody } from "../schemas/api-key";
import { apiKeyAnswer, apiKeyPage, apiKeyWithText } from "../schemas/api-key-answer";
import { pageQuery } from "../schemas/page";
import { noQuery } from "../schemas/text";

const KEYS = "/stores/:storeId/api-keys";

export const apiKeyRoutes = [
  route({
    method: "post",
    path: KEYS,
    operationId: "createApiKey",
    role: "owner",
    sudo: true,
    tags: ["API keys"],
    summary: "Make a key; its text is shown here and never again",
    description:
      "A key has full access to its store. One that a key made is deleted with it, and expires no later than it.",
    query: noQuery,
    body: createApiKeyBody,
    success: 201,
    answer: apiKeyWithText,
    errors: [],
    async handle({ ctx, params: { storeId }, body }) {
      const { record, apiKey } = await createApiKey(ctx, { ...body, storeId });
      return { ...presentApiKey(record), apiKey };
    },
  }),
  route({
    method: "get",
    path: KEYS,
    operationId: "listApiKeys",
    role: "owner",
    tags: ["API keys"],
    summary: "List keys, newest first, expired ones too",
    query: pageQuery,
    body: null,
    success: 200,
    answer: apiKeyPage,
    errors: [],
    async handle({ ctx, params: { storeId }, query }) {
      return presentPage(await listApiKeys(ctx, storeId, query), presentApiKey);
    },
  }),
  route({
    method: "get",
    path: `${KEYS}/current`,
    operationId: "readCurrentApiKey",
    tags: ["API keys"],
    summary: "Read the key that this request carries",
    query: noQuery,
    body: null,
    success: 200,
    answer: apiKeyAnswer,
    errors: ["api-key-not-found"],
    keyOnly: true,
    handle: async ({ ctx, params: { storeId } }) =>
      presentApiKey(await readApiKey(ctx, storeId, ctx.actor.id ?? "")),
  }),
  route({
    method: "delete",
    path: `${KEYS}/:keyId`,
    operationId: "deleteApiKey",
    role: "owner",
    tags: ["API keys"],
    summary: "Delete a key and the keys that it made; it is refused from now on",
    query: noQuery,
    body: null,
    success: 204,
    answer: null,
    errors: [],
    handle: ({ ctx, params: { storeId, keyId } }) => deleteApiKey(ctx, storeId, keyId),
  }),
];
