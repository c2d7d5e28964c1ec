import type { apiKeyAnswer, apiKeyWithText } from "../../../api/api-keys/answer";
import type { addedMember, invitationList, memberAnswer } from "../../../api/dashboard/server/user-request";
import type {
  checkStep,
  lightningAnswer,
  storePaymentMethod,
  walletAnswer,
  walletPreview,
} from "../../../api/payment-methods/answer";
import type { formerNodes } from "../../../api/dashboard/stores/request";
import type { serverInfoAnswer } from "../../../api/server/answer";
import type { Answer } from "./shapes";

export type ApiKey = Answer<typeof apiKeyAnswer>;
export type ApiKeyWithText = Answer<typeof apiKeyWithText>;
export type PaymentMethod = Answer<typeof storePaymentMethod>;
export type Wallet = Answer<typeof walletAnswer>;
export type Lightning = Answer<typeof lightningAnswer>;
export type FormerNodes = Answer<typeof formerNodes>;
export type CheckStep = Answer<typeof checkStep>;
export type WalletPreview = Answer<typeof walletPreview>;
export type ScriptType = Wallet["scriptType"];
export type Member = Answer<typeof memberAnswer>;
export type Invited = Answer<typeof invitationList>["data"][number];
export type AddedMember = Answer<typeof addedMember>;
export type ServerInfo = Answer<typeof serverInfoAnswer>;

export const apiKeysPath = (storeId: string): string => `/stores/${storeId}/api-keys`;
export const methodsPath = (storeId: string): string => `/stores/${storeId}/payment-methods`;
export const membersPath = (storeId: string): string => `/stores/${storeId}/members`;
