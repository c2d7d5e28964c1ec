import { readReport } from "../../commands/reports/read-report";
import { readCalendar } from "../../database/rows";
import { route } from "../http/route";
import { reportAnswer } from "./answer";
import { reportQuery } from "./request";

export const reportRoutes = [
  route({
    method: "get",
    path: "/stores/:storeId/reports",
    operationId: "readReport",
    access: ["read"],
    points: 5,
    tags: ["Stores"],
    summary: "Read what came in, by day, week or month",
    description:
      "Days are those of the store's `timeZone`, unless you send another. `received` goes by the day on which a payment was confirmed, all else by the day on which its invoice was created. A later payment changes the report of an earlier day.",
    query: reportQuery,
    answer: reportAnswer,
    async handle({ ctx, params: { storeId }, query: { timeZone, ...range } }) {
      const zone = timeZone ?? (await readCalendar(ctx, storeId)).timeZone;
      return readReport(ctx, storeId, { ...range, timeZone: zone });
    },
  }),
];
