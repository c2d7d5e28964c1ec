import { AsyncLocalStorage } from "node:async_hooks";
import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import { KoaAdapter } from "@bull-board/koa";
import type { JobName } from "../../commands/jobs";
import type { Log } from "../../commands/ports";
import { limitConcurrency } from "../../database/limit-concurrency";
import { DomainError } from "../../domain/errors";
import { isDatabaseOutage } from "../database-outage";
import type { QueuedJob, StoredJob, StoredQueue } from "./backend";
import { withoutRefusedButtons } from "./board-buttons";

// bull-board could change everything in a queue. A list of its routes lets it only read, and run failed webhook
// deliveries again: routes of a newer version are refused.

const RETRIED: JobName = "webhook-delivery";
const RETRY = "put /api/queues/:queueName/:jobId/retry";
const RETRY_ALL = "put /api/queues/:queueName/retry/:queueStatus";
/** The maximum for one press of "Retry all", well within a request's deadline; the next press continues. */
const RETRY_ALL_MAX = 1_000;
const RETRIES_AT_ONCE = 2;
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

/** The fields of a job that the page shows; all others are left out. */
const SHOWN = ["deliveryId", "attempt", "invoiceId", "height", "task"];

export interface BoardOptions {
  /** The path at which this process serves the board. */
  mount: string;
  /** Path of the board as a browser sees it, behind a proxy. */
  publicPath: string;
  /** Path of a delivery's page in the dashboard, as a browser sees it. */
  deliveryPath(deliveryId: string): string;
  /** Requests a delivery again; its job then runs again when the delivery is released. */
  onRetry(deliveryId: string, request: RetryRequest): Promise<void>;
}

export interface RetryRequest {
  askedBy: string;
  /** Part of "Retry all": skipped unless the delivery's record says failed too. */
  onlyFailed: boolean;
}

export type BoardMiddleware = ReturnType<KoaAdapter["registerPlugin"]>;
/** The board's middleware for an authenticated admin. */
export type Board = (askedBy: string) => BoardMiddleware;

/** The request that is being served. */
interface BoardRequest {
  askedBy: string;
  /** For "Retry all": whether the jobs have been returned. */
  all: "not-asked" | "asked" | "taken";
}

interface Queues {
  /** Rejects, with a message for people, while the queues are away. */
  ready(): Promise<readonly StoredQueue[]>;
  log: Log;
  /** The page's heading. */
  title: string;
}

type BeforeHook = NonNullable<
  NonNullable<NonNullable<Parameters<typeof createBullBoard>[0]["options"]>["handlerHooks"]>["before"]
>;
type DeliveryData = Extract<StoredJob, { deliveryId: string }>;
type Refusal = Exclude<Awaited<ReturnType<BeforeHook>>, void>;

const refuse = (status: 400 | 403 | 404 | 500, message: string): Refusal => ({
  allow: false,
  status,
  errorKey: "ERRORS.FORBIDDEN",
  message,
});

function makeGuard(queues: readonly StoredQueue[], requests: AsyncLocalStorage<BoardRequest>): BeforeHook {
  return async ({ method, route, request }) => {
    const operation = `${method} ${route}`;
    if (LOOK.includes(operation)) return { allow: true };
    if (![RETRY, RETRY_ALL].includes(operation) || request === undefined)
      return refuse(403, "This board only shows jobs and retries failed webhook deliveries.");
    const { queueName, jobId, queueStatus } = request.params as Record<string, string>;
    if (queueName !== RETRIED) return refuse(403, `Only failed jobs of ${RETRIED} can be retried here.`);
    if (operation === RETRY_ALL) {
      if (queueStatus !== "failed") return refuse(400, "Only failed deliveries can be retried here.");
      const asked = requests.getStore();
      if (asked !== undefined) asked.all = "asked";
      return { allow: true };
    }
    const job = await queues.find(({ name }) => name === RETRIED)?.getJob(jobId ?? "");
    if (job === undefined || !("deliveryId" in job.data)) return refuse(404, "Job not found.");
    return (await job.getState()) === "failed"
      ? { allow: true }
      : refuse(400, "Only a failed delivery can be retried here.");
  };
}

/** The queue of deliveries. However the board runs a job again, one or all, its delivery is requested instead. */
class DeliveriesAdapter extends BullMQAdapter {
  private readonly onRetry: BoardOptions["onRetry"];
  private readonly inTurn = limitConcurrency(RETRIES_AT_ONCE);

  constructor(
    queue: StoredQueue,
    { onRetry, deliveryPath }: BoardOptions,
    private readonly requests: AsyncLocalStorage<BoardRequest>,
  ) {
    super(queue, {
      readOnlyMode: false,
      allowRetries: true,
      externalJobUrl: ({ data }: { data: DeliveryData }) => ({
        displayText: "Delivery",
        href: deliveryPath(data.deliveryId),
      }),
    });
    this.onRetry = onRetry;
  }

  override async getJob(id: string) {
    const job = await super.getJob(id);
    return job && this.noted(job as QueuedJob);
  }

  /** "Retry all" reads page by page until it gets nothing new: it gets all jobs of one press at once. */
  override async getJobs(...[states, start, end]: Parameters<BullMQAdapter["getJobs"]>) {
    const request = this.requests.getStore();
    if (request === undefined || request.all === "not-asked")
      return (await super.getJobs(states, start, end)).map((job) => this.noted(job as QueuedJob));
    if (request.all === "taken") return [];
    request.all = "taken";
    return (await super.getJobs(states, 0, RETRY_ALL_MAX - 1)).map((job) => this.noted(job as QueuedJob));
  }

  private noted(job: QueuedJob): QueuedJob {
    job.retry = () => this.inTurn(() => this.retry(job));
    return job;
  }

  private async retry(job: QueuedJob): Promise<void> {
    const { askedBy = "", all = "not-asked" } = this.requests.getStore() ?? {};
    const onlyFailed = all !== "not-asked";
    if (!("deliveryId" in job.data)) return;
    try {
      await this.onRetry(job.data.deliveryId, { askedBy, onlyFailed });
    } catch (error) {
      // A delivery that another request has asked for, or whose body is erased, does not stop the others.
      if (!(onlyFailed && error instanceof DomainError)) throw error;
    }
  }
}

function restricted<T extends BullMQAdapter>(adapter: T): T {
  adapter.setFormatter("data", (data: object) =>
    Object.fromEntries(Object.entries(data).filter(([name]) => SHOWN.includes(name))),
  );
  adapter.setFormatter("returnValue", () => null);
  return adapter;
}

function build(
  queues: readonly StoredQueue[],
  boardOptions: BoardOptions,
  requests: AsyncLocalStorage<BoardRequest>,
  { log, title }: Pick<Queues, "log" | "title">,
): BoardMiddleware {
  const adapter = new KoaAdapter().setBasePath(boardOptions.publicPath);
  createBullBoard({
    queues: queues.map((queue) =>
      restricted(
        queue.name === RETRIED
          ? new DeliveriesAdapter(queue, boardOptions, requests)
          : new BullMQAdapter(queue, { readOnlyMode: true, allowRetries: false }),
      ),
    ),
    serverAdapter: adapter,
    options: {
      handlerHooks: { before: makeGuard(queues, requests) },
      uiConfig: {
        boardTitle: title,
        hideDocsLink: true,
        hideRedisDetails: true,
        showWorkers: false,
      },
    },
  });
  // The library's own handler would show the error's message.
  adapter.setErrorHandler((error) => {
    const answer = (status: 409 | 500, message: string) => ({
      status,
      body: { error: { key: "ERRORS.FORBIDDEN" as const }, message },
    });
    if (error instanceof DomainError && error.code === "delivery-in-progress")
      return answer(409, error.message);
    if (!isDatabaseOutage(error)) throw error;
    log.error({ err: error }, "queue board: database unavailable");
    return answer(500, "The database does not answer. Try again in a moment.");
  });
  return adapter.registerPlugin({ mount: boardOptions.mount });
}

/** The queues' board. While the queues are away its middleware rejects like `ready`. */
export function makeBoard(of: Queues, options: BoardOptions): Board {
  const { ready } = of;
  const requests = new AsyncLocalStorage<BoardRequest>();
  let built: BoardMiddleware | null = null;
  return (askedBy) => async (koa, next) => {
    const queues = await ready();
    built ??= build(queues, options, requests, of);
    const serve = built;
    try {
      await requests.run({ askedBy, all: "not-asked" }, async () => {
        await serve(koa, next);
      });
      if (typeof koa.body === "string" && koa.response.is("html") !== false)
        koa.body = withoutRefusedButtons(koa.body);
    } catch (error) {
      await ready(); // rejects with a better message if they have gone away meanwhile
      throw error;
    }
  };
}
