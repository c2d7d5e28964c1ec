import type { reportAnswer } from "../../../api/reports/answer";
import type { Query } from "./base";
import { apiQuery } from "./queries";
import type { Answer } from "./shapes";

export type Report = Answer<typeof reportAnswer>;
export type Figures = Report["totals"];
export type Period = Report["periods"][number];

export const reportQuery = (storeId: string, query: Query) =>
  apiQuery<Report>(`/stores/${storeId}/reports`, query);
