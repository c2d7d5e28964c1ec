import type { storeHomeAnswer } from "../../../api/dashboard/stores/request";
import { apiQuery } from "./queries";
import type { Answer } from "./shapes";

export type StoreHome = Answer<typeof storeHomeAnswer>;

export const homeQuery = (storeId: string) => apiQuery<StoreHome>(`/stores/${storeId}/home`);
