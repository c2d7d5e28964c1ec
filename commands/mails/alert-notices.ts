import { jsonRows } from "../../database/insert-rows";
import type { NoticeKind } from "../../domain/account/notice";
import type { AlertKind } from "../../entities/alert";
import type { CommandContext } from "../context";
import type { AlertChannel } from "../ports";
import { writeAlertNotices } from "./queries";

const NOTICE_OF: Readonly<Partial<Record<AlertKind, NoticeKind>>> = {
  "deliveries-failing": "webhook-failing",
  "node-away": "node-away",
  "node-behind": "node-away",
  "node-blind": "node-away",
  "other-chain": "node-away",
  "lightning-away": "node-away",
  "lightning-locked": "node-away",
  "lightning-forbidden": "node-away",
  "lightning-node-changed": "node-away",
  "lightning-certificate": "node-away",
};
const AT_ONCE = 1_000;

/** Accepts an alert by writing a notice for each member who chose its kind. */
export function membersOf(ctx: CommandContext): AlertChannel[] {
  if (ctx.sendMail === null) return [];
  return [
    {
      name: "members",
      atOnce: AT_ONCE,
      async send(alerts) {
        const chosen = alerts.flatMap(({ alertId, storeId, kind, at }) => {
          const noticeKind = NOTICE_OF[kind as AlertKind];
          return noticeKind === undefined ? [] : [{ alertId, storeId, kind: noticeKind, at }];
        });
        if (chosen.length > 0) await writeAlertNotices(ctx.db.manager, jsonRows(chosen));
      },
    },
  ];
}
