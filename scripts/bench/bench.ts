import type { Servers } from "./servers";
import type { App, Service, ServiceOptions } from "./service";

/** What a bench works with. */
export interface Lab {
  servers: Servers;
  /** Small sizes: whether it works at all is the question, not how fast. */
  quick: boolean;
  /** The size of something: the one, or the other where the run is quick. */
  size(full: number, quick: number): number;
  /** How often something is measured, each time beside its limit. */
  rounds: number;
  /** A new database, migrated. */
  newDatabase(): Promise<string>;
  /** Apps as processes of their own, on a new database unless one is given. They end with the bench. */
  startService(options: ServiceOptions): Promise<Service>;
  /** Progress, for the person who waits. */
  say(text: string): void;
  /** The most memory that each app's processes had in the run so far, in MB. */
  peaks: ReadonlyMap<App, number>;
  /** A part of the bench: what it starts ends with it, and its databases are gone. */
  apart<T>(part: (lab: Lab) => Promise<T>): Promise<T>;
  /** What has to be ended after the bench, last first. */
  onEnd(end: () => Promise<void> | void): void;
}

export interface Bench {
  /** As it is named on the command line. */
  name: string;
  title: string;
  run(lab: Lab): Promise<Figure[]>;
}

/** A value measured in several rounds. */
export interface Spread {
  min: number;
  median: number;
  max: number;
}

export interface Figure {
  /** What it is about, such as `one API process, on-chain`. */
  name: string;
  unit: string;
  ours: Spread;
  /** The limit of this machine, measured in the same run and between our rounds. */
  raw: (Spread & { what: string }) | null;
  /** Ours / raw, the median of the rounds' own ratios. */
  ratio: number | null;
  aim: { text: string; met: boolean } | null;
  /** What else is worth knowing, such as `p50 ms`. */
  also: Readonly<Record<string, number>>;
}

/** The targets of a figure: all that are given must hold. */
export interface Aim {
  text: string;
  atMost?: number;
  ratioAtLeast?: number;
  ratioAtMost?: number;
  /** What else must hold. */
  and?: boolean;
}

export interface Measured {
  name: string;
  unit: string;
  /** One a round. */
  ours: readonly number[];
  /** One a round, of the same rounds. */
  raw?: { what: string; rounds: readonly number[] };
  aim?: Aim | undefined;
  also?: Readonly<Record<string, number>>;
}

/** The value below which `share` (0 … 1) of them are. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export const medianOf = (values: readonly number[]): number => percentile(values, 0.5);

const spreadOf = (values: readonly number[]): Spread => ({
  min: Math.min(...values),
  median: medianOf(values),
  max: Math.max(...values),
});

function isMet(aim: Aim, value: number, ratio: number): boolean {
  const { atMost = Infinity, ratioAtLeast = -Infinity, ratioAtMost = Infinity, and = true } = aim;
  return value <= atMost && ratio >= ratioAtLeast && ratio <= ratioAtMost && and;
}

export function figure({ name, unit, ours, raw, aim, also = {} }: Measured): Figure {
  const value = spreadOf(ours);
  const ratio = raw ? medianOf(ours.map((one, round) => one / (raw.rounds[round] ?? NaN))) : null;
  return {
    name,
    unit,
    ours: value,
    raw: raw ? { what: raw.what, ...spreadOf(raw.rounds) } : null,
    ratio,
    aim: aim ? { text: aim.text, met: isMet(aim, value.median, ratio ?? 0) } : null,
    also,
  };
}
