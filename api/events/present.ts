import type { FeedEvent } from "../../commands/webhooks/feed-queries";
import { rawMember } from "../../domain/invoice/metadata";
import { feedPosition } from "../../domain/webhook/feed-position";
import { RawJson } from "../http/json";

export function presentFeed(events: readonly FeedEvent[], after: bigint) {
  return {
    data: events.map(presentFeedEvent),
    nextAfter: feedPosition(events.at(-1)?.seq ?? after),
  };
}

function presentFeedEvent({ seq, eventId, type, invoiceId, body, additionalStatus, createdAt }: FeedEvent) {
  const metadata = body === null ? null : rawMember(body, "metadata");
  return {
    seq: feedPosition(seq),
    eventId,
    type,
    invoiceId,
    metadata: metadata === null ? null : new RawJson(metadata),
    additionalStatus,
    createdAt,
  };
}
