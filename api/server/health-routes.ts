import type { Middleware } from "koa";
import { isDatabaseOutage } from "../../adapters/database-outage";
import {
  healthWithoutDatabase,
  readHealth,
  type Check,
  type Health,
  type Surroundings,
} from "../../commands/installation/health";
import { DeadlineError, withDeadline } from "../../database/with-deadline";
import { toJson } from "../http/json";
import type { HttpParts } from "../http/parts";
import type { ProxyWatch } from "../http/proxy-watch";
import type { Operation } from "../http/route";
import { healthAnswer, liveAnswer } from "./health-answer";
import { noQuery } from "../http/schemas/text";

/** Also while the database hangs. */
const DEADLINE_MS = 3_000;
/** It needs no key and costs some queries. */
const MAX_AGE_MS = 1_000;

export interface HealthParts extends Pick<HttpParts, "context">, Omit<Surroundings, "queue" | "remark"> {
  queueHealth: () => Promise<Check>;
  proxies: Pick<ProxyWatch, "remark">;
  /** Default: a second. */
  healthMaxAgeMs?: number;
}

export interface HealthRoute extends Operation {
  serve(parts: HealthParts): Middleware;
}

export async function surroundingsOf(parts: HealthParts): Promise<Surroundings> {
  return { ...parts, queue: await parts.queueHealth(), remark: parts.proxies.remark() };
}

function serveHealth(parts: HealthParts): Middleware {
  const read = rarely(parts.healthMaxAgeMs ?? MAX_AGE_MS, async () =>
    withinDeadline(parts, await surroundingsOf(parts)),
  );
  return async (koa) => {
    const health = await read();
    koa.status = health.status === "down" ? 503 : 200;
    koa.body = toJson(health);
    koa.type = "application/json";
  };
}

/** Also once for all simultaneous callers. A failure is read again. */
function rarely<T>(maxAgeMs: number, read: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | null = null;
  let readAt = 0;
  return () => {
    if (last === null || performance.now() - readAt >= maxAgeMs) {
      readAt = performance.now();
      const now = read();
      last = now;
      now.catch(() => {
        if (last === now) last = null;
      });
    }
    return last;
  };
}

async function withinDeadline(parts: HealthParts, surroundings: Surroundings): Promise<Health> {
  const ctx = parts.context();
  if (ctx === null) return healthWithoutDatabase(surroundings);
  try {
    return await withDeadline(DEADLINE_MS, () => readHealth(ctx, surroundings));
  } catch (error) {
    if (error instanceof DeadlineError || isDatabaseOutage(error)) return healthWithoutDatabase(surroundings);
    throw error;
  }
}

const serveLive: Middleware = (koa) => {
  koa.body = toJson({ status: "ok" });
  koa.type = "application/json";
};

const common = {
  method: "get",
  tags: ["Server"],
  query: noQuery,
  body: null,
  success: 200,
} as const;

export const healthRoutes: readonly HealthRoute[] = [
  {
    ...common,
    path: "/health",
    operationId: "readHealth",
    summary: "Read the service's health",
    description:
      "The response is 503 only while the database is unavailable; with any other problem it is 200 with `degraded`.",
    answer: healthAnswer,
    alsoStatus: 503,
    serve: serveHealth,
  },
  {
    ...common,
    path: "/health/live",
    operationId: "readLive",
    summary: "Read whether the process is running, without checking its dependencies",
    answer: liveAnswer,
    serve: () => serveLive,
  },
];
