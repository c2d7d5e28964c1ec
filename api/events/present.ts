import type { FeedEvent } from "../../commands/webhooks/queries";
import { rawMember } from "../../domain/invoice/metadata";
import { RawJson } from "../http/json";

/** Of one length, so that a place grows as text as well. */
const presentSeq = (seq: string | bigint): string => seq.toString().padStart(16, "0");

export function presentFeed(events: readonly FeedEvent[], after: bigint) {
  return {
    data: events.map(presentFeedEvent),
    nextAfter: presentSeq(events.at(-1)?.seq ?? after),
  };
}

function presentFeedEvent({ seq, eventId, type, invoiceId, body, additionalStatus, createdAt }: FeedEvent) {
  const metadata = body === null ? null : rawMember(body.toString(), "metadata");
  return {
    seq: presentSeq(seq),
    eventId,
    type,
    invoiceId,
    metadata: metadata === null ? null : new RawJson(metadata),
    additionalStatus,
    createdAt,
  };
}
