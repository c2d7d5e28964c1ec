import { AsyncLocalStorage } from "node:async_hooks";
import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import { KoaAdapter } from "@bull-board/koa";
import { ErrorCode } from "bullmq";
import type { JobName } from "../../commands/jobs";
import type { Log } from "../../commands/ports";
import { isDatabaseOutage } from "../database-outage";
import type { StoredQueue } from "./backend";

// bull-board can do to a queue all that Redis can. Here it looks, and runs a failed webhook delivery again; that it has
// buttons for more is only its page. What it may do is a list of its routes, so that a newer version's are closed.

const RETRIED: JobName = "webhook-delivery";
const RETRY = "put /api/queues/:queueName/:jobId/retry";
const LOOK = [
  "get /api/queues",
  "get /api/job-schedulers",
  "get /api/queues/:queueName/metrics",
  "get /api/queues/:queueName/default-job-options",
  "get /api/queues/:queueName/rate-limit",
  "get /api/queues/:queueName/job-data-schema",
  "get /api/queues/:queueName/:jobId",
  "get /api/queues/:queueName/:jobId/logs",
  "get /api/queues/:queueName/:jobId/flow",
];

/** What a job may carry: everything else is left out of the page. */
const SHOWN = ["deliveryId", "base", "invoiceId", "height", "task", "endOfSecond"];

export interface BoardOptions {
  /** Path of this process where the board answers. */
  mount: string;
  /** Path of the board as a browser sees it, behind a proxy. */
  publicPath: string;
  /** Called before a delivery runs again; when it rejects, nothing does. */
  onRetry(deliveryId: string, askedBy: string): Promise<void>;
}

export type BoardMiddleware = ReturnType<KoaAdapter["registerPlugin"]>;
/** The board's middleware for a person who may use it. */
export type Board = (askedBy: string) => BoardMiddleware;

interface Queues {
  /** Rejects, in words, while the queues are away. */
  ready(): Promise<readonly StoredQueue[]>;
  log: Log;
}

type BeforeHook = NonNullable<
  NonNullable<NonNullable<Parameters<typeof createBullBoard>[0]["options"]>["handlerHooks"]>["before"]
>;
type Refusal = Exclude<Awaited<ReturnType<BeforeHook>>, void>;

const refuse = (status: 400 | 403 | 404 | 500, message: string): Refusal => ({
  allow: false,
  status,
  errorKey: "ERRORS.FORBIDDEN",
  message,
});

function makeGuard(
  queues: readonly StoredQueue[],
  onRetry: (deliveryId: string) => Promise<void>,
  log: Log,
): BeforeHook {
  return async ({ method, route, request }) => {
    const operation = `${method} ${route}`;
    if (LOOK.includes(operation)) return { allow: true };
    if (operation !== RETRY || request === undefined)
      return refuse(403, "This board only shows jobs and retries failed webhook deliveries.");
    const { queueName, jobId } = request.params as { queueName: string; jobId: string };
    if (queueName !== RETRIED) return refuse(403, `Only failed jobs of ${RETRIED} can be retried here.`);
    const job = await queues.find(({ name }) => name === RETRIED)?.getJob(jobId);
    if (job === undefined || !("deliveryId" in job.data)) return refuse(404, "There is no such job.");
    if ((await job.getState()) !== "failed")
      return refuse(400, "Only a failed delivery can be retried here.");
    try {
      await onRetry(job.data.deliveryId);
      return { allow: true };
    } catch (error) {
      if (!isDatabaseOutage(error)) throw error;
      log.error({ err: error }, "the database is away");
      return refuse(500, "The database does not answer. Try again in a moment.");
    }
  };
}

function shown(queue: StoredQueue): BullMQAdapter {
  const adapter = new BullMQAdapter(queue, {
    readOnlyMode: queue.name !== RETRIED,
    allowRetries: queue.name === RETRIED,
  });
  adapter.setFormatter("data", (data: object) =>
    Object.fromEntries(Object.entries(data).filter(([name]) => SHOWN.includes(name))),
  );
  adapter.setFormatter("returnValue", () => null);
  return adapter;
}

/** Somebody was faster: two who press the same button get one attempt. */
const OUTRUN: readonly unknown[] = [ErrorCode.JobNotExist, ErrorCode.JobNotInState];

function build(
  queues: readonly StoredQueue[],
  { mount, publicPath, onRetry }: BoardOptions,
  asker: AsyncLocalStorage<string>,
  log: Log,
): BoardMiddleware {
  const adapter = new KoaAdapter().setBasePath(publicPath);
  const retry = (deliveryId: string) => onRetry(deliveryId, asker.getStore() ?? "");
  createBullBoard({
    queues: queues.map(shown),
    serverAdapter: adapter,
    options: {
      handlerHooks: { before: makeGuard(queues, retry, log) },
      uiConfig: {
        boardTitle: "Quittance queues",
        hideDocsLink: true,
        hideRedisDetails: true,
        showWorkers: false,
      },
    },
  });
  // Its own handler would show the error's text.
  adapter.setErrorHandler((error) => {
    if (!("code" in error && OUTRUN.includes(error.code))) throw error;
    return { status: 409, body: { error: "ERRORS.FORBIDDEN", message: "This job is running already." } };
  });
  return adapter.registerPlugin({ mount });
}

/** The queues' board. While they are away its middleware rejects as `ready` does. */
export function makeBoard({ ready, log }: Queues, options: BoardOptions): Board {
  const asker = new AsyncLocalStorage<string>();
  let built: BoardMiddleware | null = null;
  return (askedBy) => async (koa, next) => {
    const queues = await ready();
    built ??= build(queues, options, asker, log);
    const serve = built;
    try {
      await asker.run(askedBy, async () => {
        await serve(koa, next);
      });
    } catch (error) {
      await ready(); // says it better, if they have gone meanwhile
      throw error;
    }
  };
}
