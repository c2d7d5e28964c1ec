import { latestPosition, readFeed } from "../../commands/webhooks/read-feed";
import type { FeedEvent } from "../../commands/webhooks/feed-queries";
import { rawMember } from "../../domain/invoice/metadata";
import { feedPosition } from "../../domain/webhook/feed-position";
import { RawJson } from "../http/json";
import { presenter } from "../http/presenter";
import { route } from "../http/route";
import { feedQuery } from "./request";
import { feedAnswer, feedEvent } from "./answer";

/** Below the request's own deadline. */
const LONGEST_WAIT_MS = 29_000;

export const eventRoutes = [
  route({
    method: "get",
    path: "/stores/:storeId/events",
    operationId: "readEvents",
    access: ["create-and-read-invoices", "read"],
    tags: ["Events"],
    summary: "Read the store's events in order, or wait for new ones",
    description:
      "All events of the store's invoices, oldest first, whether or not a webhook is registered. New events are only ever appended: pass `nextAfter` as `after` in the next request, and you neither miss an event nor read one twice. With `wait`, an empty response is returned only after that many seconds (at most one second earlier). Test events are not included. A response ends after 2 MiB, whatever `limit` is: continue with `nextAfter`.",
    query: feedQuery,
    answer: feedAnswer,
    async handle({ ctx, params: { storeId }, query, readUntilFound, gone }) {
      const { limit, wait } = query;
      const after = query.after === "latest" ? await latestPosition(ctx, storeId) : (query.after ?? 0n);
      const waitMs = Math.min(wait * 1_000, LONGEST_WAIT_MS);
      const events = await readUntilFound({ storeId, waitMs, gone }, () =>
        readFeed(ctx, storeId, { after, limit }),
      );
      return {
        data: events.map(presentFeedEvent),
        nextAfter: feedPosition(events.at(-1)?.seq ?? after),
      };
    },
  }),
];

const shown = presenter(feedEvent);

function presentFeedEvent({ body, ...event }: FeedEvent) {
  const metadata = body === null ? null : rawMember(body, "metadata");
  return shown(event, {
    seq: feedPosition(event.seq),
    metadata: metadata === null ? null : new RawJson(metadata),
  });
}
