import { readFileSync } from "node:fs";
import { type Bench, figure } from "../bench";
import { simulatedNodes } from "../nodes";
import { pause } from "../parts";
import { APPS_WITH_LIGHTNING } from "../service";
import { createInvoices } from "./creation";

const MOST_AT_REST_MB = 600;
const MOST_MB = 200;

/** A process's share of what is in memory, in MB: what several have in common counts for each in part. */
function proportionalMb(pid: number): number {
  const kb = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
  return (Number(kb) * 1_024) / 1e6;
}

/** Runs after the others: it also reports the most that the apps took under their loads. */
export const memory: Bench = {
  name: "memory",
  title: "Memory",
  async run(lab) {
    const { env } = await simulatedNodes(lab, { lightning: true });
    const atRest = await lab.apart(async (part) => {
      const service = await part.startService({ apps: APPS_WITH_LIGHTNING, env });
      await pause(lab.size(20_000, 500));
      const sum = service.pids().reduce((all, [, pid]) => all + proportionalMb(pid), 0);
      await createInvoices(service, await service.openStore({ lightning: true }), lab.size(10, 0.3));
      return sum;
    });
    return [
      figure({
        name: "the whole service at rest, proportional",
        unit: "MB",
        ours: [atRest],
        aim: { text: `≤ ${MOST_AT_REST_MB} MB`, atMost: MOST_AT_REST_MB },
      }),
      ...[...lab.peaks].map(([app, mb]) =>
        figure({
          name: `${app}, at its largest`,
          unit: "MB",
          ours: [mb],
          aim: { text: `< ${MOST_MB} MB`, atMost: MOST_MB },
        }),
      ),
    ];
  },
};
