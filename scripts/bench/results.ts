import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Machine } from "./machine";
import type { Outcome } from "./run";
import type { Result } from "./table";

const sameBench = (one: Outcome, other: Outcome): boolean =>
  one.bench === other.bench && one.queues === other.queues;

/**
 * The results of a run in a file, written after each bench: a run takes long, and what breaks it off loses no more than
 * the bench that it was at. Figures of the same commit on the same machine are added to; others make room.
 */
export class Results {
  private readonly result: Result;

  constructor(
    private readonly file: string,
    about: Machine,
    quick: boolean,
  ) {
    const known = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Result) : null;
    const goesOn =
      known !== null &&
      known.commit === about.commit &&
      known.quick === quick &&
      JSON.stringify(known.machine) === JSON.stringify(about.machine);
    this.result = { ...about, quick, outcomes: goesOn ? known.outcomes : [] };
  }

  get all(): Result {
    return this.result;
  }

  /** In the order of `names`, Redis first. */
  add(outcome: Outcome, names: readonly string[]): void {
    const place = ({ bench, queues }: Outcome): number =>
      names.indexOf(bench) + (queues === "redis" ? 0 : names.length);
    const others = this.result.outcomes.filter((one) => !sameBench(one, outcome));
    this.result.outcomes = [...others, outcome].sort((a, b) => place(a) - place(b));
    mkdirSync(path.dirname(this.file), { recursive: true });
    writeFileSync(this.file, `${JSON.stringify(this.result, null, 2)}\n`);
  }
}
