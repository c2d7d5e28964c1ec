import type { anyAlertAnswer } from "../../../api/dashboard/server/alert-answer";
import type { auditPage } from "../../../api/dashboard/server/audit-request";
import type { serverStateAnswer } from "../../../api/dashboard/server/answer";
import type { handedLink, madeLink, userAnswer } from "../../../api/dashboard/server/user-request";
import type { Answer } from "./shapes";

export type ListedUser = Answer<typeof userAnswer>;
export type MadeLink = Answer<typeof madeLink>;
export type HandedLink = Answer<typeof handedLink>;
export type ServerState = Answer<typeof serverStateAnswer>;
export type ServerPaymentMethod = ServerState["rails"][number];
export type ServerAlert = Answer<typeof anyAlertAnswer>;
export type AuditLine = Answer<typeof auditPage>["data"][number];
