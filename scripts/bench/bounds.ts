import { medianOf } from "./bench";
import type { Outcome } from "./run";

/** What a regression that matters would break, and a noisy machine does not: some five times worse than it is. */
export interface Bound {
  bench: string;
  /** How the figure's name begins. */
  figure: string;
  ratioAtLeast?: number;
  ratioAtMost?: number;
}

export interface Verdict {
  holds: boolean;
  /** For the reader. */
  text: string;
}

const round = (ratio: number): string => String(Number(ratio.toPrecision(3)));

/** The median of a figure's ratios over all runs against its bound. A figure that is in none of them does not hold. */
export function judge({ bench, figure, ...bound }: Bound, outcomes: readonly Outcome[]): Verdict {
  const { ratioAtLeast = 0, ratioAtMost = Infinity } = bound;
  const runs = outcomes.filter((outcome) => outcome.bench === bench);
  const ratios = runs
    .flatMap(({ figures }) => figures.filter(({ name }) => name.startsWith(figure)))
    .flatMap(({ ratio }) => (ratio === null || Number.isNaN(ratio) ? [] : [ratio]));
  const what = `${bench}: ${figure}`;
  if (ratios.length === 0) {
    const why = runs.find(({ failure }) => failure !== null)?.failure?.split("\n")[0];
    return { holds: false, text: `NONE   ${what}: not measured${why === undefined ? "" : `: ${why}`}` };
  }
  const ratio = medianOf(ratios);
  const holds = ratio >= ratioAtLeast && ratio <= ratioAtMost;
  const limits = [
    ...(ratioAtLeast > 0 ? [`at least ${ratioAtLeast}`] : []),
    ...(ratioAtMost < Infinity ? [`at most ${ratioAtMost}`] : []),
  ];
  const text = `${what}: ${round(ratio)} of the raw limit (${ratios.map(round).join(", ")}), bound: ${limits.join(", ")}`;
  return { holds, text: `${holds ? "ok     " : "WORSE  "}${text}` };
}
