import { spawnSync } from "node:child_process";
import os from "node:os";
import type { Figure } from "./bench";
import type { Outcome } from "./run";
import { ROOT } from "./service";

function number(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}

const spread = ({ min, median, max }: Figure["ours"]): string =>
  min === max ? number(median) : `${number(median)} (${number(min)}–${number(max)})`;

function row({ name, unit, ours, raw, ratio, aim, also }: Figure): string {
  const cells = [
    name,
    `${spread(ours)} ${unit}`,
    raw === null ? "" : `${spread(raw)} ${unit}: ${raw.what}`,
    ratio === null ? "" : number(ratio),
    aim === null ? "" : `${aim.text}: ${aim.met ? "met" : "**missed**"}`,
    Object.entries(also)
      .map(([key, value]) => `${key} ${number(value)}`)
      .join(", "),
  ];
  return `| ${cells.join(" | ")} |`;
}

function section({ title, figures, failure }: Outcome): string {
  if (failure !== null) return `### ${title}\n\nIt failed.\n`;
  const lines = ["| What | Ours | Raw limit | Ratio | Aim | Also |", "|---|---|---|---|---|---|"];
  return `### ${title}\n\n${[...lines, ...figures.map(row)].join("\n")}\n`;
}

/** In Markdown, with what it was measured with. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const commit = spawnSync("git", ["describe", "--always", "--dirty"], { cwd: ROOT, encoding: "utf8" });
  const about = [
    `Commit ${commit.stdout.trim()}, ${new Date().toISOString().slice(0, 10)}`,
    `${os.cpus()[0]?.model ?? "?"}, ${os.availableParallelism()} cores, load ${os.loadavg()[0]?.toFixed(1)}`,
  ].join("; ");
  return `${about}\n\n${outcomes.map(section).join("\n")}`;
}
