import type { ParameterizedContext } from "koa";
import { authenticate } from "../commands/api-key";
import type { CommandContext } from "../commands/context";
import { DomainError } from "../domain/errors";
import type { AppParts } from "./app-parts";
import type { FeedWatch } from "./feed-watch";
import { readJsonBody } from "./middleware/body";
import { countAddress, countKey } from "./middleware/rate-limit";
import { NOT_FOUND } from "./operation-errors";
import { toJson } from "./presenters/json";
import { Streamed } from "./presenters/streamed";
import type { Route } from "./route";
import { idempotentHeaders } from "./schemas/idempotency-key";
import type { ApiState } from "./state";
import { validate } from "./validate";

type Context = ParameterizedContext<ApiState> & { params: Record<string, string> };

/** Serves one route: key, store, path, query, body, in this order, so that strangers learn nothing and cost little. */
export function serveRoute(route: Route, parts: AppParts, feed: FeedWatch): (koa: Context) => Promise<void> {
  return async (koa) => {
    const base = parts.context();
    if (base === null)
      throw new DomainError("unavailable", "The service is starting. Try again in a moment.");
    const caller = await callerOf(base, koa, parts);
    koa.state.caller = caller;
    const ctx: CommandContext = { ...base, actor: { kind: "key", id: caller.keyId } };
    const params = koa.params;
    if ("storeId" in params && params["storeId"] !== caller.storeId)
      throw new DomainError("store-mismatch", "This API key belongs to another store.");
    checkIds(params);
    const query = validate(route.query, queryOf(koa));
    const sent = route.body === null ? null : await readJsonBody(koa);
    const body = route.body === null ? undefined : validate(route.body, sent?.value);
    const answer = await route.handle({
      ctx,
      caller,
      params,
      query,
      body,
      rawBody: sent?.text ?? "",
      idempotencyKey: route.idempotent ? idempotencyKeyOf(koa) : null,
      feed,
      gone: goneSignal(koa),
      setHeader: (name, value) => koa.set(name, value),
    });
    koa.status = route.success;
    if (route.success === 204) return;
    if (answer instanceof Streamed) return stream(koa, answer, parts);
    koa.body = toJson(answer);
    koa.type = "application/json";
  };
}

/** Once its head has left an answer can only break off: the connection ends without the end of the body. */
async function stream(koa: Context, answer: Streamed, { log }: AppParts): Promise<void> {
  const readable = await answer.open();
  const { requestId } = koa.state;
  readable.once("error", (err) => log.warn({ requestId, err }, "an answer broke off"));
  koa.body = readable;
  koa.set("Content-Type", answer.contentType);
  koa.set("Content-Disposition", `attachment; filename="${answer.fileName}"`);
}

function idempotencyKeyOf(koa: Context): string | null {
  const sent = { "Idempotency-Key": koa.req.headersDistinct["idempotency-key"] ?? [] };
  return validate(idempotentHeaders, sent)["Idempotency-Key"];
}

function goneSignal(koa: Context): AbortSignal {
  const gone = new AbortController();
  if (koa.res.destroyed) gone.abort();
  else koa.res.once("close", () => gone.abort());
  return gone.signal;
}

/** One refusal for every kind of wrong key: whoever guesses must not learn how near they are. */
async function callerOf(ctx: CommandContext, koa: Context, parts: AppParts) {
  const caller = await authenticate(ctx, koa.get("x-api-key"));
  if (caller === null) {
    await countAddress(koa, parts);
    throw new DomainError("unauthenticated", "Send a valid API key in the header x-api-key.");
  }
  await countKey(koa, parts, caller.keyId);
  return caller;
}

/** What cannot be an id is not looked for. */
function checkIds(params: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(params))
    if (!/^[0-9A-Za-z_-]{1,100}$/.test(value))
      throw new DomainError(NOT_FOUND[name] ?? "route-not-found", "There is nothing of this name.");
}

/** A parameter that is given several times is a list; which may be is the schema's to say. */
function queryOf(koa: Context): Record<string, string | string[]> {
  const given = new URLSearchParams(koa.querystring);
  const entries = [...new Set(given.keys())].map((name): [string, string | string[]] => {
    const [first = "", ...rest] = given.getAll(name);
    return [name, rest.length === 0 ? first : [first, ...rest]];
  });
  return Object.fromEntries(entries);
}
