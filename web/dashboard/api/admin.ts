import type { anyAlertAnswer } from "../../../api/schemas/dashboard/alert";
import type { auditPage } from "../../../api/schemas/dashboard/audit";
import type { reportPage, serverStateAnswer } from "../../../api/schemas/dashboard/server";
import type { madeLink, userAnswer } from "../../../api/schemas/dashboard/user";
import type { Answer } from "./shapes";

// What server admins see.

export type ListedUser = Answer<typeof userAnswer>;
export type MadeLink = Answer<typeof madeLink>;
export type ServerState = Answer<typeof serverStateAnswer>;
export type ServerRail = ServerState["rails"][number];
export type Report = Answer<typeof reportPage>["data"][number];
export type ServerAlert = Answer<typeof anyAlertAnswer>;
export type AuditLine = Answer<typeof auditPage>["data"][number];
