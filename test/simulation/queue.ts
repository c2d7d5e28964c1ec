import type { Enqueue, JobName, JobOutcome, Jobs, Work } from "../../commands/jobs";
import type { Life } from "./faults";

interface WaitingJob {
  id: string;
  queue: JobName;
  payload: Jobs[JobName];
  runAtMs: number;
  takenBy: Life | null;
}

/** A delivery's, by which its numbers go on: as adapters/queues keeps them. */
interface DeliveryJob {
  base: number;
  made: number;
  state: "waiting" | "failed";
}

/** What a job of any queue is done by. */
export type Handlers = { [N in JobName]: (work: Work<N>) => Promise<JobOutcome> };

/**
 * The queues as commands know them: jobs are hints, in no order that anybody may rely on. Of deliveries they count as
 * BullMQ does; one whose worker died has failed, another runs once more.
 */
export class SimulatedQueue {
  private jobs: WaitingJob[] = [];
  private readonly deliveries = new Map<string, DeliveryJob>();

  constructor(private readonly nowMs: () => number) {}

  /** For one process. Adding may fail, which nobody hears. */
  enqueueOf(life: Life): Enqueue {
    return async (queue, payloads, options = {}) => {
      if (payloads.length === 0) return;
      const run = (): Promise<void> => {
        for (const payload of payloads) this.add(queue, payload, options.delayMs ?? 0);
        return Promise.resolve();
      };
      const failed = (): Error => new Error("the queue is away");
      await life.call(`enqueue ${queue}`, { effect: true, run, failed }).catch(() => undefined);
    };
  }

  /** Names of those that could be taken now. */
  due(): string[] {
    return this.waiting().map(({ id }) => id);
  }

  /** All is forgotten, as by a queue that lost its data. */
  empty(): void {
    this.jobs = [];
    this.deliveries.clear();
  }

  /** Runs one that is due, chosen by `pick`; null where none is. */
  async runOne(life: Life, handlers: Handlers, pick: (count: number) => number): Promise<string | null> {
    const due = this.waiting();
    const job = due[pick(due.length)];
    if (job === undefined) return null;
    job.takenBy = life;
    const work = this.workOf(job);
    const run = handlers[job.queue] as (given: unknown) => Promise<JobOutcome>;
    const outcome = await run(work).catch((error: unknown): JobOutcome => ({
      kind: "failed",
      code: String(error),
    }));
    this.finish(job, outcome);
    return outcome.kind === "done" ? outcome.reason : outcome.kind === "failed" ? outcome.code : "waits";
  }

  /** What the dead had taken. */
  bury(life: Life): void {
    for (const job of this.jobs.filter(({ takenBy }) => takenBy === life)) {
      if (job.queue === "webhook-delivery") this.finish(job, { kind: "failed", code: "stalled" });
      else job.takenBy = null;
    }
  }

  private waiting(): WaitingJob[] {
    return this.jobs.filter(({ runAtMs, takenBy }) => takenBy === null && runAtMs <= this.nowMs());
  }

  private add(queue: JobName, payload: Jobs[JobName], delayMs: number): void {
    const runAtMs = this.nowMs() + delayMs;
    const id = `${queue} ${"deliveryId" in payload ? payload.deliveryId : JSON.stringify(payload)}`;
    const known = this.jobs.find((job) => job.id === id && job.takenBy === null);
    if (known) known.runAtMs = Math.min(known.runAtMs, runAtMs);
    if ("deliveryId" in payload) {
      const job = this.deliveries.get(payload.deliveryId);
      if (job?.state === "waiting") return;
      this.deliveries.set(payload.deliveryId, { base: payload.attempt - 1, made: 0, state: "waiting" });
    }
    if (!known) this.jobs.push({ id, queue, payload, runAtMs, takenBy: null });
  }

  private workOf({ payload }: WaitingJob): Work<JobName> {
    if (!("deliveryId" in payload)) return payload;
    const { deliveryId } = payload;
    const { base = 0, made = 0 } = this.deliveries.get(deliveryId) ?? {};
    return { deliveryId, attemptNumber: base + made + 1 };
  }

  private finish(job: WaitingJob, outcome: JobOutcome): void {
    if (outcome.kind === "wait") {
      job.takenBy = null;
      job.runAtMs = this.nowMs() + outcome.delayMs;
      outcome.onWaiting?.();
      return;
    }
    this.jobs = this.jobs.filter((each) => each !== job);
    if (!("deliveryId" in job.payload)) return;
    const { deliveryId } = job.payload;
    const delivery = this.deliveries.get(deliveryId);
    if (outcome.kind === "done") this.deliveries.delete(deliveryId);
    else if (delivery) Object.assign(delivery, { state: "failed", made: delivery.made + 1 });
  }
}
