import { z } from "zod";
import { KEPT_OR_DELETED } from "../../../domain/account/kept-or-deleted";
import { STORE_ROLES } from "../../../domain/account/store-role";
import { instant } from "../../http/schemas/answer";
import { pageOf } from "../../http/schemas/page";
import { oneOf, text } from "../../http/schemas/text";

const role = oneOf(STORE_ROLES);

const keysAndWebhooks = oneOf(KEPT_OR_DELETED);
const made = z
  .strictObject({ apiKeys: z.int().min(0), webhooks: z.int().min(0) })
  .meta({ description: "API keys and webhooks that this user created and that still exist." });

export const addMemberBody = z.strictObject({ email: text(254), role });
export const changeMemberBody = z.strictObject({ role, keysAndWebhooks: keysAndWebhooks.exactOptional() });
export const removeMemberQuery = z.strictObject({ keysAndWebhooks: keysAndWebhooks.exactOptional() });

export const memberAnswer = z.strictObject({
  userId: z.string(),
  email: z.string(),
  role: z.enum(STORE_ROLES),
  createdAt: instant(),
  pending: z.boolean().meta({ description: "Invited, and has not accepted yet." }),
  made,
});

export const invitationList = z.strictObject({
  data: z.array(
    z.strictObject({
      storeId: z.string(),
      storeName: z.string(),
      role: z.enum(STORE_ROLES),
      createdAt: instant(),
      expiresAt: instant(),
    }),
  ),
});

export const memberList = z.strictObject({ data: z.array(memberAnswer) });
export const addedMember = z.strictObject({
  member: memberAnswer,
  invitation: z
    .strictObject({
      mailed: z.boolean(),
      url: z.string().nullable().meta({ description: "Of a new user, for server admins only; shown once." }),
      expiresAt: instant(),
    })
    .nullable(),
});

export const createUserBody = z.strictObject({ email: text(254), admin: z.boolean().default(false) });
export const changeUserBody = z.strictObject({
  admin: z.boolean().exactOptional(),
  disabled: z.boolean().exactOptional(),
  keysAndWebhooks: keysAndWebhooks.exactOptional(),
});

export const resetUserBody = z.strictObject({
  dropSecondFactor: z.boolean().default(false).meta({
    description:
      "For a user who has lost it: authenticator app, recovery codes and passkeys are removed at once.",
  }),
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
  made,
  createdAt: instant(),
});
export const userPage = pageOf("UserPage", userAnswer);
export const madeLink = z.strictObject({ userId: z.string(), url: z.string(), expiresAt: instant() });
export const handedLink = z.strictObject({
  userId: z.string(),
  url: z.string().nullable().meta({ description: "Null when it was mailed to the user; else shown once." }),
  expiresAt: instant(),
});
