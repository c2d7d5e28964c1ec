import type { ledgerPage, ledgerSums } from "../../../../api/payments/answer";
import type { Answer } from "../../api/shapes";

export type LedgerLine = Answer<typeof ledgerPage>["data"][number];
export type LedgerSums = Answer<typeof ledgerSums>;

export const paymentsPath = (storeId: string): string => `/stores/${storeId}/payments`;
