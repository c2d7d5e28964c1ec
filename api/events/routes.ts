import { readFeed } from "../../commands/webhooks/read-feed";
import { presentFeed } from "./present";
import { route } from "../http/route";
import { feedQuery } from "./request";
import { feedAnswer } from "./answer";

/** The answer must have been sent before the request's own deadline. */
const LONGEST_WAIT_MS = 29_000;

export const eventRoutes = [
  route({
    method: "get",
    path: "/stores/:storeId/events",
    operationId: "readEvents",
    tags: ["Events"],
    summary: "Read the store's events in order, or wait for the next",
    description:
      "Every event of the store's invoices, oldest first, whether or not a webhook is registered. Nothing ever appears in front of what was read: go on with `nextAfter` and none is missed or read twice. With `wait` an empty answer comes only after so many seconds, or a second earlier at the most. Test events are not in it. An answer ends after 2 MiB, whatever the limit: go on with `nextAfter`.",
    query: feedQuery,
    body: null,
    success: 200,
    answer: feedAnswer,
    errors: [],
    async handle({ ctx, params: { storeId }, query: { after = 0n, limit, wait }, feed, large, gone }) {
      const read = () => large.read(() => readFeed(ctx, storeId, { after, limit }));
      const events = await read();
      if (events.length > 0 || wait === 0) return presentFeed(events, after);
      large.letGo();
      await feed.untilNews({ storeId, after }, Math.min(wait * 1_000, LONGEST_WAIT_MS), gone);
      return presentFeed(gone.aborted ? [] : await read(), after);
    },
  }),
];
