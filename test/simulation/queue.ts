import type { Enqueue, EnqueueOptions, JobName, JobOutcome, Jobs } from "../../commands/jobs";
import type { Life } from "./faults";

interface WaitingJob {
  id: string;
  queue: JobName;
  payload: Jobs[JobName];
  runAtMs: number;
  takenBy: Life | null;
}

/** What a job of any queue is done by. */
export type Handlers = { [N in JobName]: (payload: Jobs[N]) => Promise<JobOutcome> };

/**
 * The queues as commands know them: jobs are hints, in no order that anybody may rely on. A delivery has one job at most:
 * one that failed stays until it is asked for again. One whose worker died has failed, of other queues it runs once more.
 */
export class SimulatedQueue {
  private jobs: WaitingJob[] = [];
  private readonly failed = new Set<string>();

  constructor(private readonly nowMs: () => number) {}

  /** For one process. Adding may fail, which nobody hears. */
  enqueueOf(life: Life): Enqueue {
    return async (queue, payloads, options = {}) => {
      if (payloads.length === 0) return;
      const run = (): Promise<void> => {
        for (const payload of payloads) this.add(queue, payload, options);
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
    this.failed.clear();
  }

  /** Runs one that is due, chosen by `pick`; null where none is. */
  async runOne(life: Life, handlers: Handlers, pick: (count: number) => number): Promise<string | null> {
    const due = this.waiting();
    const job = due[pick(due.length)];
    if (job === undefined) return null;
    job.takenBy = life;
    const run = handlers[job.queue] as (given: unknown) => Promise<JobOutcome>;
    const outcome = await run(job.payload).catch((error: unknown): JobOutcome => ({
      kind: "failed",
      code: String(error),
    }));
    this.finish(job, outcome);
    return outcome.kind === "done" ? outcome.reason : outcome.code;
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

  private add(queue: JobName, payload: Jobs[JobName], { delayMs = 0, sweep = false }: EnqueueOptions): void {
    const runAtMs = this.nowMs() + delayMs;
    const id = `${queue} ${"deliveryId" in payload ? payload.deliveryId : JSON.stringify(payload)}`;
    if ("deliveryId" in payload) {
      if (this.jobs.some((job) => job.id === id)) return;
      if (this.failed.has(id) && payload.attempt === 1 && !sweep) return;
      this.failed.delete(id);
    }
    const known = this.jobs.find((job) => job.id === id && job.takenBy === null);
    if (known) known.runAtMs = Math.min(known.runAtMs, runAtMs);
    else this.jobs.push({ id, queue, payload, runAtMs, takenBy: null });
  }

  private finish(job: WaitingJob, { kind }: JobOutcome): void {
    this.jobs = this.jobs.filter((each) => each !== job);
    if (kind === "failed" && job.queue === "webhook-delivery") this.failed.add(job.id);
  }
}
