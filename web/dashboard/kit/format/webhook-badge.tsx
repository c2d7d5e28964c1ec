import { Status } from "./status";

/** Whether a webhook's endpoint takes what it is sent. */
export function WebhookBadge(props: { enabled: boolean; failureStreak: number }) {
  const { enabled, failureStreak } = props;
  if (!enabled) return <Status tone="calm">disabled</Status>;
  if (failureStreak === 0) return <Status tone="good">no failures</Status>;
  return (
    <Status tone="bad">
      {failureStreak === 1 ? "the last one failed" : `${failureStreak} failed in a row`}
    </Status>
  );
}
