import { z } from "zod";
import { readServerInfo, readMethodsOfStore } from "../../commands/installation/read-server-info";
import { paymentMethodId } from "./invoice-answer";
import { greenfieldRoute } from "./route";

/** Greenfield's version, not this service's: plugins refuse below 1.7.6. */
const COMPATIBILITY_LEVEL = "2.0.0";

const serverAnswer = z.strictObject({
  version: z.literal(COMPATIBILITY_LEVEL),
  onion: z.null(),
  supportedPaymentMethods: z.array(paymentMethodId),
  fullySynched: z.boolean(),
  syncStatus: z.array(z.never()),
});

export const serverRoutes = [
  greenfieldRoute({
    method: "get",
    path: "/server/info",
    needs: "any",
    answer: serverAnswer,
    async handle({ ctx, caller }) {
      const { paymentMethods } = await readServerInfo(ctx);
      // PrestaShop hides Bitcoin while `fullySynched` is false: not for a node that the store does not use.
      const used = await readMethodsOfStore(ctx, caller.storeId);
      return {
        version: COMPATIBILITY_LEVEL,
        onion: null,
        supportedPaymentMethods: [...new Set([...paymentMethods, ...used.map(({ type }) => type)])],
        fullySynched: used.length > 0 && used.every(({ synchronized }) => synchronized),
        syncStatus: [],
      };
    },
  }),
];
