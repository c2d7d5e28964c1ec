import { readApiKey } from "../../commands/stores/list-api-keys";
import { policiesInStore } from "../../domain/greenfield/permissions";
import { keyAnswer } from "./key-answer";
import { anyQuery } from "./request";
import { greenfieldRoute } from "./route";

export const keyRoutes = [
  greenfieldRoute({
    method: "get",
    path: "/api-keys/current",
    needs: "any",
    query: anyQuery,
    answer: keyAnswer,
    async handle({ ctx, caller: { storeId, keyId, permissions }, sentKey }) {
      const { name } = await readApiKey(ctx, storeId, keyId);
      return { apiKey: sentKey, label: name, permissions: policiesInStore(permissions, storeId) };
    },
  }),
];
