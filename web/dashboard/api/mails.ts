import type { mailsAnswer } from "../../../api/dashboard/stores/mail-request";
import { post } from "./call";
import type { Answer } from "./shapes";

export type Mails = Answer<typeof mailsAnswer>;

export const mailsPath = (storeId: string): string => `/stores/${storeId}/mails`;
export const unsubscribe = (token: string) => post("/mails/unsubscribe", { token });
