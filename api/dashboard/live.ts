import type { Change } from "../../commands/server/notify-changes";
import type { DashboardParts } from "./parts";
import { OpenStreams } from "../http/open-streams";
import type { EventStream } from "../live/event-stream";

const BATCH_MS = 250;
/** More changes are sent without their ids. */
const BATCH_MAX = 100;
const HEARTBEAT_MS = 15_000;
const STREAMS_A_SESSION = 10;

export interface Viewer {
  sessionId: string;
  storeId: string | null;
  allowed(): Promise<boolean>;
  gone: AbortSignal;
}

export type Live = ReturnType<typeof makeLive>;

export interface LiveParts extends Pick<DashboardParts, "stopping" | "log"> {
  changes: Pick<DashboardParts["changes"], "watch">;
  metrics: Pick<DashboardParts["metrics"], "stream">;
  heartbeatMs?: number;
}

export function makeLive({ changes, metrics, stopping, log, heartbeatMs = HEARTBEAT_MS }: LiveParts) {
  const counted = (by: 1 | -1): void => metrics.stream("dashboard", by);
  const streams = new OpenStreams({ stopping, heartbeatMs, counted, mostOfOne: STREAMS_A_SESSION });

  async function endUnlessAllowed(stream: EventStream, allowed: Viewer["allowed"]): Promise<void> {
    try {
      if (await allowed()) return;
    } catch (error) {
      log.debug({ err: error }, "live: session check failed");
      return;
    }
    stream.send("signed-out", {});
    stream.end();
  }

  return {
    /** @throws DomainError `rate-limited` when a session has too many. */
    async open({ sessionId: key, storeId, allowed, gone }: Viewer): Promise<EventStream> {
      const stream = await streams.open({ key, gone }, (beating) => {
        beating.heartbeat();
        void endUnlessAllowed(beating, allowed);
      });
      if (stream.ended) return stream;
      const batched = batchChanges(stream);
      stream.whenEnded(changes.watch(storeId, batched));
      stream.whenEnded(() => batched.stop());
      stream.send("open", {});
      return stream;
    },
  };
}

function batchChanges(stream: EventStream) {
  let changes = new Map<string, object>();
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    timer = undefined;
    const all = [...changes.values()];
    changes = new Map();
    stream.send("changes", { changes: all });
  }

  return {
    changed({ storeId: _, ...change }: Change): void {
      const known = changes.size >= BATCH_MAX ? { topic: change.topic } : change;
      changes.set(JSON.stringify(known), known);
      timer ??= setTimeout(flush, BATCH_MS);
    },
    missed(): void {
      stream.send("refetch", {});
    },
    stop(): void {
      clearTimeout(timer);
    },
  };
}
