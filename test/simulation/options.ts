/** What `npm run test:simulation -- …` was asked for. */
export interface SimulationOptions {
  /** `--every`: each point of each story, also those that come to the same. */
  every: boolean;
  /** `--share N`: every N-th of the points and rounds alone. */
  share: number;
  /** `--part N`: which of them, and which rounds that nobody has played. */
  part: number;
  /** `--seed N`: one round alone. */
  seed: number | null;
  /** `--acts 0,7!,31`: of that round these acts alone, and faults in those with a mark. */
  acts: string | null;
  /** `--shrink SECONDS`: for how long a failure's story is made shorter. */
  shrinkSeconds?: number;
  /** `--rounds N` */
  rounds: number | null;
  /** `--hours H`: fresh seeds for so long. */
  hours: number | null;
}

/** By the variables in which scripts/npm/test.cjs hands the options on. */
export function simulationOptions(): SimulationOptions {
  const number = (name: string): number | null => {
    const text = process.env[`SIMULATION_${name}`];
    if (text === undefined) return null;
    if (!/^\d+(\.\d+)?$/.test(text)) throw new Error(`--${name.toLowerCase()} takes a number, not "${text}"`);
    return Number(text);
  };
  const shrinkSeconds = number("SHRINK");
  const share = number("SHARE") ?? 1;
  if (!Number.isInteger(share) || share < 1) throw new Error(`--share takes a whole number, not ${share}`);
  const part = number("PART") ?? 0;
  if (!Number.isInteger(part)) throw new Error(`--part takes a whole number, not ${part}`);
  return {
    ...(shrinkSeconds === null ? {} : { shrinkSeconds }),
    acts: process.env["SIMULATION_ACTS"] ?? null,
    every: process.env["SIMULATION_EVERY"] !== undefined,
    share,
    part,
    seed: number("SEED"),
    rounds: number("ROUNDS"),
    hours: number("HOURS"),
  };
}
