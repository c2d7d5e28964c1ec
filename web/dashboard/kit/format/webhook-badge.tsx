import type { ReactNode } from "react";
import { TextLink } from "../links";
import { Status } from "./status";

/** The home page counts to here. */
export const FAILED_COUNTED = 1_000;

/** `failed`: never redelivered, if known. */
export function WebhookBadge(props: { enabled: boolean; failureStreak: number; failed?: number }) {
  const { enabled, failureStreak, failed = 0 } = props;
  if (!enabled) return <Status tone="calm">disabled</Status>;
  if (failureStreak === 0)
    return <Status tone="good">{failed === 0 ? "no failures" : "the last one was delivered"}</Status>;
  return (
    <Status tone="bad">
      {failureStreak === 1 ? "the last one failed" : `${failureStreak} failed in a row`}
    </Status>
  );
}

export function FailedLink(props: { storeId: string; webhookId: string; children: ReactNode }) {
  const { storeId, webhookId, children } = props;
  return (
    <TextLink
      inherit
      to="/stores/$storeId/webhooks/$webhookId"
      params={{ storeId, webhookId }}
      search={{ state: "failed" }}
    >
      {children}
    </TextLink>
  );
}
