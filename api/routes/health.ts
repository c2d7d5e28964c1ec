import type { Middleware } from "koa";
import { isDatabaseOutage } from "../../adapters/database-outage";
import { healthWithoutDatabase, readHealth, type Health, type Surroundings } from "../../commands/health";
import { toJson } from "../presenters/json";
import type { AppParts } from "../app-parts";
import type { PublicRoute } from "../route";
import { healthAnswer, liveAnswer } from "../schemas/health";
import { noQuery } from "../schemas/text";

/** A monitor must get its answer while the database hangs. */
const DEADLINE_MS = 3_000;

/** What this process knows of the server, beside what the database does. */
export async function surroundingsOf(parts: AppParts): Promise<Surroundings> {
  return {
    version: parts.version,
    network: parts.network,
    bitcoinConfigured: parts.bitcoinConfigured,
    lightningConfigured: parts.lightningConfigured,
    queue: await parts.queueHealth(),
    replicaHealth: parts.replicaHealth,
  };
}

function serveHealth(parts: AppParts): Middleware {
  return async (koa) => {
    const surroundings = await surroundingsOf(parts);
    const health = await withinDeadline(parts, surroundings);
    koa.status = health.status === "down" ? 503 : 200;
    koa.body = toJson(health);
    koa.type = "application/json";
  };
}

async function withinDeadline(parts: AppParts, surroundings: Surroundings): Promise<Health> {
  const ctx = parts.context();
  const down = healthWithoutDatabase(surroundings);
  if (ctx === null) return down;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Health>((resolve) => {
    timer = setTimeout(() => resolve(down), DEADLINE_MS);
  });
  const read = readHealth(ctx, surroundings).catch((error: unknown) => {
    if (!isDatabaseOutage(error)) throw error;
    return down;
  });
  try {
    return await Promise.race([read, late]);
  } finally {
    clearTimeout(timer);
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
  errors: [],
} as const;

export const healthRoutes: readonly PublicRoute[] = [
  {
    ...common,
    path: "/health",
    operationId: "readHealth",
    summary: "Read whether the service works, and what is wrong",
    description:
      "503 only while the database is away: nothing can be done then. All else is `degraded` with 200.",
    answer: healthAnswer,
    otherAnswers: { 503: healthAnswer },
    serve: serveHealth,
  },
  {
    ...common,
    path: "/health/live",
    operationId: "readLive",
    summary: "Read whether the process runs; nothing is said of what it needs",
    answer: liveAnswer,
    serve: () => serveLive,
  },
];
