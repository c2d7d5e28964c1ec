import { z } from "zod";
import { readApiKey } from "../../commands/stores/list-api-keys";
import { policiesInStore } from "../../domain/greenfield/permissions";
import { greenfieldRoute } from "./route";

const keyAnswer = z.strictObject({
  apiKey: z.string(),
  label: z.string(),
  permissions: z.array(z.string().regex(/^btcpay\.store\.[a-z.]+:[1-9A-HJ-NP-Za-km-z]{44}$/)),
});

export const keyRoutes = [
  greenfieldRoute({
    method: "get",
    path: "/api-keys/current",
    needs: "any",
    answer: keyAnswer,
    async handle({ ctx, caller: { storeId, keyId, permissions }, sentKey }) {
      const { name } = await readApiKey(ctx, storeId, keyId);
      return { apiKey: sentKey, label: name, permissions: policiesInStore(permissions, storeId) };
    },
  }),
];
