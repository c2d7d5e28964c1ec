import { statement } from "../../database/statement";
import type { ApiKey } from "../../entities/api-key";
import type { PasskeyChallenge } from "../../entities/passkey-challenge";
import type { SessionStage } from "../../entities/session";

const SESSIONS_MAX = 50;

export const deleteOldSessions = statement<[userId: string, stage: SessionStage]>(
  "accounts.delete-old-sessions",
  `DELETE FROM sessions WHERE id IN (
     SELECT id FROM sessions WHERE user_id = $1 AND stage = $2 ORDER BY last_seen_at DESC, id OFFSET ${SESSIONS_MAX})`,
);

/** Only one of simultaneous answers finds it. */
export const deleteChallenge = statement<
  [challenge: string, purpose: PasskeyChallenge["purpose"], userId: string | null, now: Date],
  { good: boolean }
>(
  "accounts.delete-challenge",
  `DELETE FROM passkey_challenges WHERE challenge = $1 AND purpose = $2 AND user_id IS NOT DISTINCT FROM $3
   RETURNING expires_at > $4 AS good`,
);

export const forgetInAudit = statement<[userId: string]>(
  "accounts.forget-in-audit",
  `UPDATE audit_log SET details = details - '{email,ip}'::text[]
    WHERE subject = $1 AND details ?| '{email,ip}'::text[]`,
);

export type MadeKey = Pick<ApiKey, "id" | "name" | "prefix" | "createdAt" | "lastUsedAt"> & {
  storeName: string;
};

const API_KEYS_SHOWN = 200;

export const readMadeKeys = statement<[userId: string], MadeKey>(
  "accounts.read-made-keys",
  `SELECT k.id, k.name, k.prefix, k.created_at AS "createdAt", k.last_used_at AS "lastUsedAt", s.name AS "storeName"
     FROM api_keys k JOIN stores s ON s.id = k.store_id WHERE k.created_by_user_id = $1
    ORDER BY k.last_used_at DESC NULLS LAST, k.id LIMIT ${API_KEYS_SHOWN}`,
);
