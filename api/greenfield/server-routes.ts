import { z } from "zod";
import { offeredTypes } from "../../commands/wallets/list-payment-methods";
import { readServerInfo } from "../../commands/installation/read-server-info";
import { paymentMethodId } from "./invoice-answer";
import { anyQuery } from "./request";
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
    query: anyQuery,
    answer: serverAnswer,
    async handle({ ctx, caller }) {
      const { paymentMethods, rails } = await readServerInfo(ctx);
      const offered = await offeredTypes(ctx, caller.storeId);
      // PrestaShop hides Bitcoin while this is false: not for a node that the store does not use.
      const used = rails.filter(({ type }) => offered.includes(type));
      return {
        version: COMPATIBILITY_LEVEL,
        onion: null,
        supportedPaymentMethods: paymentMethods,
        fullySynched: used.length > 0 && used.every(({ synchronized }) => synchronized),
        syncStatus: [],
      };
    },
  }),
];
