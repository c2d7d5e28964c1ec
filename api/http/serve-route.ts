import type { ParameterizedContext } from "koa";
import type { CommandContext } from "../../commands/context";
import { DomainError } from "../../domain/errors";
import { nativeId } from "../../domain/greenfield/id-text";
import type { StoreRole } from "../../domain/account/store-role";
import { answerEvents, goneSignal } from "../live/answer-events";
import { holdWhileRead } from "./places";
import { countBytes } from "./middleware/rate-limit";
import { BODY_MAX_BYTES, type JsonBody, readJsonBody } from "./middleware/body";
import { NOT_FOUND } from "./operation-errors";
import { toJson } from "./json";
import { EventStream } from "../live/event-stream";
import { StreamedBody } from "./streamed";
import type { RouteDefinition, ServedRoute } from "./route";
import { idempotentHeaders } from "./schemas/idempotency-key";
import type { Serving } from "./serving";
import type { ApiState } from "./state";
import { validate } from "./validate";

export type RouteContext = ParameterizedContext<ApiState> & { params: Record<string, string> };

/** Returns the routes' other inputs, or rejects. It has checked the path's `storeId`. */
export type Authenticate<Given extends Admission> = (koa: RouteContext) => Promise<Given>;

interface Admission {
  ctx: CommandContext;
  role?: StoreRole;
}

interface JudgesBody {
  /** @throws DomainError */
  checkBody?(body: unknown): void;
}

/**
 * Authentication, path, query, body in this order: anonymous requests learn nothing and cost little.
 */
export function serveRoute<Given extends Admission & JudgesBody>(
  route: ServedRoute<Given>,
  authenticate: Authenticate<Given>,
  serving: Serving,
): (koa: RouteContext) => Promise<void> {
  return async (koa) => {
    koa.state.points = route.points ?? 1;
    const given = await authenticate(koa);
    const params = nativeParams(koa);
    const query = validate(route.query, queryOf(koa));
    const { sent, body } = await bodyOf(koa, route, serving);
    given.checkBody?.(body);
    if (route.large) await holdLarge(koa, serving);
    const answer = await route.handle({
      ...given,
      role: given.role ?? "viewer",
      params,
      query,
      body,
      rawBody: sent?.text ?? "",
      idempotencyKey: route.idempotent ? idempotencyKeyOf(koa) : null,
      // While it waits, it reads nothing.
      readUntilFound: (wait, read) =>
        serving.readUntilFound(wait, async () => {
          const giveBack = await holdLarge(koa, serving);
          const found = await read();
          if (found.length === 0) giveBack();
          return found;
        }),
      bulk: (change) => bulk(koa, change, serving),
      get gone() {
        return goneSignal(koa);
      },
      setHeader: (name, value) => koa.set(name, value),
    });
    koa.status = route.success;
    if (route.success === 204) return;
    if (answer instanceof EventStream) return answerEvents(koa, answer);
    if (answer instanceof StreamedBody) return await stream(koa, answer, serving);
    koa.body = toJson(answer);
    koa.type = "application/json";
  };
}

/** A larger body waits for a place before it is received. */
const SMALL_BODY_BYTES = 16 * 1024;

async function bodyOf(
  koa: RouteContext,
  { body, bodyMaxBytes = BODY_MAX_BYTES }: RouteDefinition,
  serving: Serving,
): Promise<{ sent: JsonBody | null; body: unknown }> {
  if (body === null) return { sent: null, body: undefined };
  const { "content-length": length, "transfer-encoding": chunked } = koa.req.headers;
  const large = chunked !== undefined || Number(length) > SMALL_BODY_BYTES;
  const release = large ? await serving.largeBodies.take(callerOf(koa), goneSignal(koa)) : undefined;
  try {
    const sent = await readJsonBody(koa, bodyMaxBytes);
    await countBytes(koa, serving, Buffer.byteLength(sent.text));
    return { sent, body: validate(body, sent.value) };
  } finally {
    release?.();
  }
}

/** A store, or a user, who must not use up the shop's limit. */
function callerOf({ state: { caller, userId } }: RouteContext): string {
  return caller?.storeId ?? userId ?? "";
}

const LONGEST_ANSWER_MS = 60_000;

/** A place from before the answer is read until its reader has it. @throws DomainError `rate-limited`, `unavailable`. */
function holdLarge(koa: RouteContext, { largeAnswers }: Serving): Promise<() => void> {
  return holdWhileRead(largeAnswers, callerOf(koa), koa, LONGEST_ANSWER_MS);
}

/** After its head an answer can only break off. */
const LONGEST_EXPORT_MS = 3_600_000;

async function stream(koa: RouteContext, answer: StreamedBody, { exports, log }: Serving): Promise<void> {
  await holdWhileRead(exports, callerOf(koa), koa, LONGEST_EXPORT_MS);
  const readable = await answer.open();
  const { requestId } = koa.state;
  readable.once("error", (err) => log.warn({ requestId, err }, "request: response aborted"));
  koa.body = readable;
  koa.set("Content-Type", answer.contentType);
  koa.set("Content-Disposition", `attachment; filename="${answer.fileName}"`);
}

/** @throws DomainError `rate-limited` */
async function bulk<T>(koa: RouteContext, change: () => Promise<T>, { bulkChanges }: Serving): Promise<T> {
  const release = await bulkChanges.take(koa.params["storeId"] ?? callerOf(koa), goneSignal(koa));
  try {
    return await change();
  } finally {
    release();
  }
}

function idempotencyKeyOf(koa: RouteContext): string | null {
  if (koa.req.headers["idempotency-key"] === undefined) return null;
  // `headersDistinct` throws at __proto__ in some versions of Node.
  const { rawHeaders } = koa.req;
  const sent = {
    "Idempotency-Key": rawHeaders.filter(
      (_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === "idempotency-key",
    ),
  };
  return validate(idempotentHeaders, sent)["Idempotency-Key"];
}

/** An impossible id is not queried. */
export function canBeId(value: string): boolean {
  return /^[0-9A-Za-z_-]{1,100}$/.test(value);
}

/** Plugins' ids have no underscore, and are pasted into other tools. */
function nativeParams({ params }: RouteContext): Record<string, string> {
  return Object.fromEntries(
    Object.entries<string>(params).map(([name, value]) => {
      if (!canBeId(value)) throw new DomainError(NOT_FOUND[name] ?? "route-not-found", "Not found.");
      return [name, nativeId(value)];
    }),
  );
}

/** Several times: a list; the schema decides. */
function queryOf(koa: RouteContext): Record<string, string | string[]> {
  if (koa.querystring === "") return {};
  const given = new URLSearchParams(koa.querystring);
  const entries = [...new Set(given.keys())].map((name): [string, string | string[]] => {
    const [first = "", ...rest] = given.getAll(name);
    return [name, rest.length === 0 ? first : [first, ...rest]];
  });
  return Object.fromEntries(entries);
}
