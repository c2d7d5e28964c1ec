import { z } from "zod";
import { STORE_ROLES } from "../../../domain/store-role";
import { instant } from "../answer";
import { pageOf } from "../page";
import { oneOf, text } from "../text";

const role = oneOf(STORE_ROLES);

export const addMemberBody = z.strictObject({ email: text(254), role });
export const changeMemberBody = z.strictObject({ role });

const memberAnswer = z.strictObject({
  userId: z.string(),
  email: z.string(),
  role: z.enum(STORE_ROLES),
  createdAt: instant(),
  pending: z.boolean().meta({ description: "Invited, and has not chosen a password yet." }),
});

export const memberList = z.strictObject({ data: z.array(memberAnswer) });
export const oneMember = memberAnswer;
export const addedMember = z.strictObject({
  member: memberAnswer,
  invitation: z
    .strictObject({
      mailed: z.boolean(),
      url: z.string().nullable().meta({ description: "For server admins alone; shown this once." }),
      expiresAt: instant(),
    })
    .nullable(),
});

export const createUserBody = z.strictObject({ email: text(254), admin: z.boolean().default(false) });
export const changeUserBody = z.strictObject({
  admin: z.boolean().exactOptional(),
  disabled: z.boolean().exactOptional(),
});

export const userAnswer = z.strictObject({
  userId: z.string(),
  email: z.string(),
  admin: z.boolean(),
  disabled: z.boolean(),
  pending: z.boolean().meta({ description: "Has not chosen a password yet." }),
  totp: z.boolean(),
  hasPasskey: z.boolean(),
  stores: z.int(),
  createdAt: instant(),
});
export const userPage = pageOf("UserPage", userAnswer);
export const madeLink = z.strictObject({ userId: z.string(), url: z.string(), expiresAt: instant() });
