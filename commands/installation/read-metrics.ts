import type { CommandContext } from "../context";
import { type Figure, FIGURES, readSnapshots } from "./metrics-queries";

export interface Numbers extends Omit<Figure, "read"> {
  values: readonly { labels: Record<string, string>; value: number }[];
}

export async function readMetrics({ db }: Pick<CommandContext, "db">): Promise<Numbers[]> {
  const numbers: Numbers[] = [];
  for (const { read, ...source } of FIGURES) {
    const { rows } = await read(db.manager);
    const values = rows
      .filter(({ value }) => value !== null)
      .map(({ value, ...labels }) => ({ labels: labels as Record<string, string>, value: Number(value) }));
    numbers.push({ ...source, values });
  }
  return numbers;
}

/** With the last heartbeat of each live process. */
export async function readProcessMetrics({ db }: Pick<CommandContext, "db">): Promise<unknown[][]> {
  const { rows } = await readSnapshots(db.manager);
  return rows.map(({ metrics }) => metrics);
}
