import type { Log } from "../../commands/ports";
import type { Change } from "../../commands/tell-change";
import { DomainError } from "../../domain/errors";
import type { ChangeWatch } from "../change-watch";
import { EventStream } from "../presenters/event-stream";

/** How long changes are gathered, so that a burst is one message. */
const GATHER_MS = 250;
/** More than these are told without their ids. */
const GATHERED_MAX = 100;
const HEARTBEAT_MS = 15_000;
const STREAMS_A_SESSION = 10;

export interface Viewer {
  sessionId: string;
  /** Null for what concerns the whole server. */
  storeId: string | null;
  /** Whether the session and its rights still stand. */
  allowed(): Promise<boolean>;
  /** The reader has closed the connection. */
  gone: AbortSignal;
}

/** Streams that tell pages what changed. */
export interface Live {
  /** @throws DomainError `rate-limited` when a session has too many. */
  open(viewer: Viewer): EventStream;
}

export interface LiveParts {
  changes: Pick<ChangeWatch, "watch">;
  stopping: AbortSignal;
  log: Log;
  heartbeatMs?: number;
}

export function makeLive({ changes, stopping, log, heartbeatMs = HEARTBEAT_MS }: LiveParts): Live {
  const ofSession = new Map<string, number>();
  const open = new Set<() => void>();
  stopping.addEventListener("abort", () => {
    for (const end of open) end();
  });

  function count(sessionId: string, by: 1 | -1): void {
    const streams = (ofSession.get(sessionId) ?? 0) + by;
    if (streams === 0) ofSession.delete(sessionId);
    else ofSession.set(sessionId, streams);
  }

  return {
    open({ sessionId, storeId, allowed, gone }) {
      if ((ofSession.get(sessionId) ?? 0) >= STREAMS_A_SESSION)
        throw new DomainError(
          "rate-limited",
          `At most ${STREAMS_A_SESSION} pages of a session are kept up to date.`,
        );
      const stream = new EventStream();
      if (stopping.aborted || gone.aborted) {
        stream.end();
        return stream;
      }
      count(sessionId, 1);
      const gathered = gather(stream);
      const unwatch = changes.watch(storeId, gathered);
      const beat = async (): Promise<void> => {
        stream.heartbeat();
        try {
          if (await allowed()) return;
        } catch (error) {
          log.debug({ err: error }, "could not look whether a session still stands");
          return;
        }
        stream.send("signed-out", {});
        end();
      };
      const timer = setInterval(() => void beat(), heartbeatMs);
      const end = (): void => {
        if (!open.delete(end)) return;
        clearInterval(timer);
        unwatch();
        gathered.stop();
        count(sessionId, -1);
        stream.end();
      };
      open.add(end);
      gone.addEventListener("abort", end);
      stream.body.once("close", end);
      stream.send("open", {});
      return stream;
    },
  };
}

/** Says each change once, however often it was told meanwhile. */
function gather(stream: EventStream) {
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
      const known = changes.size >= GATHERED_MAX ? { topic: change.topic } : change;
      changes.set(JSON.stringify(known), known);
      timer ??= setTimeout(flush, GATHER_MS);
    },
    missed(): void {
      stream.send("refetch", {});
    },
    stop(): void {
      clearTimeout(timer);
    },
  };
}
