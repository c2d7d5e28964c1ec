import type { Lab } from "./lab";

/** A value measured in several rounds. */
export interface Spread {
  min: number;
  median: number;
  max: number;
  rounds: number;
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
  also: Readonly<Record<string, number | string>>;
}

/** The targets of a figure: all that are given must hold. */
export interface Aim {
  text: string;
  atLeast?: number;
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
  also?: Readonly<Record<string, number | string>>;
}

export interface Bench {
  /** As it is named on the command line. */
  name: string;
  title: string;
  /** It also runs with the queues on Postgres: there its figures have no targets. */
  usesQueues: boolean;
  run(lab: Lab): Promise<Figure[]>;
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(half) - 1], sorted[Math.floor(half)]];
  return ((low ?? NaN) + (high ?? NaN)) / 2;
}

export function spreadOf(values: readonly number[]): Spread {
  return {
    min: Math.min(...values),
    median: medianOf(values),
    max: Math.max(...values),
    rounds: values.length,
  };
}

/** The value below which `share` (0 … 1) of them are. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

function isMet(aim: Aim, value: number, ratio: number | null): boolean {
  const { atLeast = -Infinity, atMost = Infinity, ratioAtLeast = -Infinity, ratioAtMost = Infinity } = aim;
  const held = value >= atLeast && value <= atMost;
  return held && (ratio ?? 0) >= ratioAtLeast && (ratio ?? 0) <= ratioAtMost && (aim.and ?? true);
}

export function figure({ name, unit, ours, raw, aim, also = {} }: Measured): Figure {
  const value = spreadOf(ours);
  const ratios = raw ? ours.map((one, round) => one / (raw.rounds[round] ?? NaN)) : [];
  const ratio = raw ? medianOf(ratios) : null;
  return {
    name,
    unit,
    ours: value,
    raw: raw ? { what: raw.what, ...spreadOf(raw.rounds) } : null,
    ratio,
    aim: aim ? { text: aim.text, met: isMet(aim, value.median, ratio) } : null,
    also,
  };
}
