import type { RouterMiddleware } from "@koa/router";
import type { Change } from "../../commands/server/notify-changes";
import { DomainError } from "../../domain/errors";
import { contextOf } from "../http/for-request";
import { answerEvents, goneSignal } from "../live/answer-events";
import type { CheckoutParts } from "./parts";
import { senderAddress } from "../http/middleware/rate-limit";
import { OpenStreams } from "../http/open-streams";
import type { ApiState } from "../http/state";

/** Proxies close a connection after 30 s or 60 s of silence; the script takes a longer one for lost. */
const HEARTBEAT_MS = 20_000;
/** A carrier's or office's customers share an address; beyond this a page polls. */
const STREAMS_AN_ADDRESS = 50;
const STREAMS_A_PROCESS = 10_000;
/** Pages of a stopping process must not reconnect all at once. */
const RETRY_MS = { from: 1_000, to: 4_000 };

/**
 * `/i/{invoiceId}/stream`: hints to read `/state` again: `changed`, `block`, and `missed` for whatever may have come
 * unheard. An `alive` comes first and every 20 s: scripts do not see comments.
 */
export function invoiceStream(parts: CheckoutParts): RouterMiddleware<ApiState> {
  const streams = new OpenStreams({
    stopping: parts.stopping,
    heartbeatMs: HEARTBEAT_MS,
    counted: (by) => parts.metrics.stream("checkout", by),
    mostOfOne: STREAMS_AN_ADDRESS,
    most: STREAMS_A_PROCESS,
  });
  return async (koa) => {
    contextOf(parts); // refused before the database was reached: the page polls
    if (parts.stopping.aborted)
      throw new DomainError("unavailable", "This process is shutting down. Connect again.");
    const holder = { key: senderAddress(koa, parts), gone: goneSignal(koa) };
    const stream = await streams.open(holder, (beating) => beating.send("alive", {}));
    stream.retryAfter(Math.round(RETRY_MS.from + Math.random() * (RETRY_MS.to - RETRY_MS.from)));
    stream.send("alive", {});
    const hearer = {
      changed: ({ topic }: Pick<Change, "topic">) => stream.send(topic === "chain" ? "block" : "changed", {}),
      missed: () => stream.send("missed", {}),
    };
    stream.whenEnded(parts.changes.watchInvoice(koa.params["invoiceId"] ?? "", hearer));
    answerEvents(koa, stream);
  };
}
