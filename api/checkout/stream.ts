import type { RouterMiddleware } from "@koa/router";
import { DomainError } from "../../domain/errors";
import { answerEvents, goneSignal } from "../live/answer-events";
import type { CheckoutParts } from "./parts";
import { senderAddress } from "../http/middleware/rate-limit";
import { OpenStreams } from "../live/open-streams";
import { chosenLanguage } from "./chosen-language";
import { FollowedInvoices } from "./followed-invoices";
import type { ApiState } from "../http/state";

/** Proxies close a connection after 30 s or 60 s of silence; the script takes a longer one for lost. */
const HEARTBEAT_MS = 20_000;
/** A carrier's or office's customers share an address; beyond this a page polls. */
const STREAMS_AN_ADDRESS = 50;
const STREAMS_A_PROCESS = 10_000;
/** A few states. A reader that lags behind reconnects to the newest. */
const UNREAD_MAX_BYTES = 64 * 1024;
/** Pages of a stopping process must not reconnect all at once. */
const RETRY_MS = { from: 1_000, to: 4_000 };

/**
 * `/i/{invoiceId}/stream`: data as of `/state`, ids are versions. With `Last-Event-ID` or `?version=` nothing comes
 * until it changes; 204 when it cannot any more. An `alive` comes first and every 20 s: scripts do not see comments.
 */
export function invoiceStream(parts: CheckoutParts): RouterMiddleware<ApiState> {
  const streams = new OpenStreams({
    stopping: parts.stopping,
    heartbeatMs: HEARTBEAT_MS,
    counted: (by) => parts.metrics.stream("checkout", by),
    mostOfOne: STREAMS_AN_ADDRESS,
    most: STREAMS_A_PROCESS,
    unreadMaxBytes: UNREAD_MAX_BYTES,
  });
  const invoices = new FollowedInvoices(parts);
  return async (koa) => {
    if (parts.stopping.aborted)
      throw new DomainError("unavailable", "This process is shutting down. Connect again.");
    const holder = { key: senderAddress(koa, parts), gone: goneSignal(koa) };
    const stream = streams.open(holder, (beating) => beating.send("alive", {}));
    const known = versionShown(koa.get("last-event-id"), koa.query["version"]);
    const page = {
      stream,
      languageFor: (ofInvoice: string | null) => chosenLanguage(koa, ofInvoice),
      version: known,
    };
    stream.retryAfter(Math.round(RETRY_MS.from + Math.random() * (RETRY_MS.to - RETRY_MS.from)));
    stream.send("alive", {});
    let goesOn: boolean;
    try {
      goesOn = await invoices.follow(koa.params["invoiceId"] ?? "", page);
    } catch (error) {
      stream.end();
      throw error;
    }
    if (!goesOn && known !== null && page.version === known) koa.status = 204;
    else answerEvents(koa, stream);
  };
}

function versionShown(lastEventId: string, version: unknown): string | null {
  if (lastEventId !== "") return lastEventId;
  return typeof version === "string" && version !== "" ? version : null;
}
