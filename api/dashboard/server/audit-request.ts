import { z } from "zod";
import { ACTOR_KINDS } from "../../../entities/audit-entry";
import { instant } from "../../http/schemas/answer";
import { pageFields, pageOf } from "../../http/schemas/page";
import { text } from "../../http/schemas/text";

const filters = { actorId: text(100).optional(), action: text(100).optional() };

export const storeAuditQuery = z.strictObject({ ...pageFields, ...filters });
export const auditQuery = z.strictObject({ ...pageFields, ...filters, storeId: text(100).optional() });

export const auditLine = z.strictObject({
  auditId: z.string(),
  at: instant(),
  actor: z.strictObject({
    kind: z.enum(ACTOR_KINDS),
    id: z.string().nullable(),
    name: z.string().nullable().meta({ description: "A user's address, a key's name." }),
  }),
  action: z.string(),
  storeId: z.string().nullable(),
  subject: z.string().meta({ description: "Id of what was changed." }),
  details: z.looseObject({}),
});

export const auditPage = pageOf("AuditPage", auditLine);
