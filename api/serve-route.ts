import type { ParameterizedContext } from "koa";
import type { CommandContext } from "../commands/context";
import type { Log } from "../commands/ports";
import { DomainError } from "../domain/errors";
import { answerEvents, goneSignal } from "./answer-events";
import type { AppParts } from "./app-parts";
import type { FeedWatch } from "./feed-watch";
import { readJsonBody } from "./middleware/body";
import { NOT_FOUND } from "./operation-errors";
import { toJson } from "./presenters/json";
import { EventStream } from "./presenters/event-stream";
import { Streamed } from "./presenters/streamed";
import type { RouteRequest, Served } from "./route";
import { idempotentHeaders } from "./schemas/idempotency-key";
import type { ApiState } from "./state";
import { validate } from "./validate";

export type RouteContext = ParameterizedContext<ApiState> & { params: Record<string, string> };

/**
 * Lets a caller in: answers a command context on the caller's behalf and what else its routes are given, or rejects.
 * It has looked at the path's `storeId` as well.
 */
export type Admit<Given extends { ctx: CommandContext }> = (koa: RouteContext) => Promise<Given>;

interface ServedRoute<Given> extends Served {
  handle(request: RouteRequest<Record<string, string>, unknown, unknown> & Given): Promise<unknown>;
}

/** Serves one route: who asks and whose store, path, query, body, in this order, so that strangers learn nothing and cost little. */
export function serveRoute<Given extends { ctx: CommandContext }>(
  route: ServedRoute<Given>,
  admit: Admit<Given>,
  { log }: Pick<AppParts, "log">,
  feed: FeedWatch,
): (koa: RouteContext) => Promise<void> {
  return async (koa) => {
    const given = await admit(koa);
    const params = koa.params;
    checkIds(params);
    const query = validate(route.query, queryOf(koa));
    const sent = route.body === null ? null : await readJsonBody(koa);
    const body = route.body === null ? undefined : validate(route.body, sent?.value);
    const answer = await route.handle({
      ...given,
      params,
      query,
      body,
      rawBody: sent?.text ?? "",
      idempotencyKey: route.idempotent ? idempotencyKeyOf(koa) : null,
      feed,
      get gone() {
        return goneSignal(koa);
      },
      setHeader: (name, value) => koa.set(name, value),
    });
    koa.status = route.success;
    if (route.success === 204) return;
    if (answer instanceof EventStream) return answerEvents(koa, answer);
    if (answer instanceof Streamed) return stream(koa, answer, log);
    koa.body = toJson(answer);
    koa.type = "application/json";
  };
}

/** Once its head has left an answer can only break off: the connection ends without the end of the body. */
async function stream(koa: RouteContext, answer: Streamed, log: Log): Promise<void> {
  const readable = await answer.open();
  const { requestId } = koa.state;
  readable.once("error", (err) => log.warn({ requestId, err }, "an answer broke off"));
  koa.body = readable;
  koa.set("Content-Type", answer.contentType);
  koa.set("Content-Disposition", `attachment; filename="${answer.fileName}"`);
}

function idempotencyKeyOf(koa: RouteContext): string | null {
  if (koa.req.headers["idempotency-key"] === undefined) return null;
  const sent = { "Idempotency-Key": koa.req.headersDistinct["idempotency-key"] };
  return validate(idempotentHeaders, sent)["Idempotency-Key"];
}

/** What cannot be an id is not looked for. */
export function canBeId(value: string): boolean {
  return /^[0-9A-Za-z_-]{1,100}$/.test(value);
}

function checkIds(params: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(params))
    if (!canBeId(value))
      throw new DomainError(NOT_FOUND[name] ?? "route-not-found", "There is nothing of this name.");
}

/** A parameter that is given several times is a list; which may be is the schema's to say. */
function queryOf(koa: RouteContext): Record<string, string | string[]> {
  if (koa.querystring === "") return {};
  const given = new URLSearchParams(koa.querystring);
  const entries = [...new Set(given.keys())].map((name): [string, string | string[]] => {
    const [first = "", ...rest] = given.getAll(name);
    return [name, rest.length === 0 ? first : [first, ...rest]];
  });
  return Object.fromEntries(entries);
}
