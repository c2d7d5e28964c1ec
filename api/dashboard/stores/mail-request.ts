import { z } from "zod";
import { NOTICE_KINDS, SUMMARY_INTERVALS } from "../../../domain/account/notice";
import { oneOf } from "../../http/schemas/text";

const kinds = z
  .array(oneOf(NOTICE_KINDS))
  .max(NOTICE_KINDS.length)
  .refine((given) => new Set(given).size === given.length, "Must name each kind once.");

export const mailsBody = z.strictObject({ kinds, summary: oneOf(SUMMARY_INTERVALS) });

export const mailsAnswer = z.strictObject({
  kinds: z.array(z.enum(NOTICE_KINDS)),
  summary: z.enum(SUMMARY_INTERVALS),
  available: z.boolean().meta({ description: "False: the server has no mail server." }),
  timeZone: z.string(),
});
