import type { Figure } from "./bench";
import type { Machine } from "./machine";
import type { Outcome } from "./run";

export interface Result extends Machine {
  quick: boolean;
  outcomes: Outcome[];
}

function number(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}

const spread = ({ min, median, max, rounds }: Figure["ours"]): string =>
  rounds === 1 ? number(median) : `${number(median)} (${number(min)}–${number(max)})`;

function row({ name, unit, ours, raw, ratio, aim, also }: Figure): string {
  const rest = Object.entries(also).map(
    ([key, value]) => `${key} ${typeof value === "number" ? number(value) : value}`,
  );
  const cells = [
    name,
    `${spread(ours)} ${unit}`,
    raw === null ? "" : `${spread(raw)} ${unit}: ${raw.what}`,
    ratio === null ? "" : number(ratio),
    aim === null ? "" : `${aim.text}: ${aim.met ? "met" : "**missed**"}`,
    rest.join(", "),
  ];
  return `| ${cells.join(" | ")} |`;
}

function section({ title, queues, figures, failure }: Outcome): string {
  const head = `### ${title}${queues === "postgres" ? ", queues on Postgres" : ""}\n\n`;
  if (failure !== null) return `${head}It failed.\n`;
  const lines = ["| What | Ours | Raw limit | Ratio | Aim | Also |", "|---|---|---|---|---|---|"];
  return `${head}${[...lines, ...figures.map(row)].join("\n")}\n`;
}

/** In Markdown, for eyes and for docs/performance.md. */
export function tableOf(result: Result): string {
  const { commit, date, machine, versions } = result;
  const { cpu, cores, memoryGb, system } = machine;
  const redis = versions.redis === null ? "no Redis" : `Redis ${versions.redis}`;
  const about = `Commit ${commit}, ${date}. ${cpu}, ${cores} cores, ${memoryGb} GB, ${system}; Node ${versions.node}, Postgres ${versions.postgres}, ${redis}.`;
  return `${about}\n\n${result.outcomes.map(section).join("\n")}`;
}
