import { readRates } from "../../commands/read-rates";
import { presentRates } from "../presenters/rates";
import { route } from "../route";
import { ratesAnswer, ratesQuery } from "../schemas/rates";

export const rateRoutes = [
  route({
    method: "get",
    path: "/stores/:storeId/rates",
    operationId: "readRates",
    tags: ["Rates"],
    summary: "What bitcoin costs now, for invoices of this store",
    description:
      "The rates that invoices would get now: the median of the exchanges that agree, less the store's spread. When one of the currencies has no rate, the answer is 503 `rate-unavailable`.",
    query: ratesQuery,
    body: null,
    success: 200,
    answer: ratesAnswer,
    errors: ["rate-unavailable"],
    async handle({ ctx, params: { storeId }, query: { currencies } }) {
      return presentRates(await readRates(ctx, storeId, currencies));
    },
  }),
];
