import { readRates } from "../../commands/stores/read-rates";
import { presenter } from "../http/presenter";
import { route } from "../http/route";
import { currencyRate, ratesAnswer, ratesQuery } from "./answer";

const shown = presenter(currencyRate);

export const rateRoutes = [
  route({
    method: "get",
    path: "/stores/:storeId/rates",
    operationId: "readRates",
    access: ["create-and-read-invoices", "read"],
    tags: ["Rates"],
    summary: "Read the current exchange rates for this store's invoices",
    description:
      "The rates that an invoice created now would get: the median of the exchanges that agree, less the store's spread. If one of the currencies has no rate, the response is 503 `rate-unavailable`.",
    query: ratesQuery,
    answer: ratesAnswer,
    errors: ["rate-unavailable"],
    async handle({ ctx, params: { storeId }, query: { currencies } }) {
      const rates = await readRates(ctx, storeId, currencies);
      return { data: rates.map((line) => shown(line, { rate: line.value })) };
    },
  }),
];
