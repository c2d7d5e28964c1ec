import { readdirSync, readFileSync } from "node:fs";

/** Less is no measurement any more, but a machine that is lost. */
const LEAST_SHARE = 0.05;

/** The machine's processor time since it started, in clock ticks (proc(5), Linux). */
interface ProcessorTime {
  total: number;
  /** Spent, and stolen by the machine's host. */
  busy: number;
  /** Of this test run: of all processes that descend from the leader of its process group. */
  ours: number;
}

/** The fields of `/proc/<pid>/stat` from the third on; null for a process that has ended. */
function statOf(pid: string): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}

function readProcessorTime(): ProcessorTime {
  const [line = ""] = readFileSync("/proc/stat", "latin1").split("\n");
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softirq = 0, steal = 0] = line
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);
  const busy = user + nice + system + irq + softirq + steal;
  const processes = new Map<string, { parent: string; ticks: number }>();
  for (const pid of readdirSync("/proc")) {
    const stat = /^\d+$/.test(pid) ? statOf(pid) : null;
    if (stat === null) continue;
    const spent = stat.slice(11, 15).map(Number); // also of children that have ended
    processes.set(pid, { parent: stat[1] ?? "", ticks: spent.reduce((sum, ticks) => sum + ticks, 0) });
  }
  const leader = statOf("self")?.[2];
  const isOurs = (pid: string): boolean => {
    for (let at: string | undefined = pid; at !== undefined; at = processes.get(at)?.parent)
      if (at === leader) return true;
    return false;
  };
  const ours = [...processes].reduce((sum, [pid, { ticks }]) => sum + (isOurs(pid) ? ticks : 0), 0);
  return { total: busy + idle + waiting, busy, ours };
}

/**
 * What may take so long on a quiet machine, on this one: measured from this call to the returned function's. Other work
 * that takes part of the cores makes a wait grow faster than what is left of them shrinks.
 */
export function allowedFromNow(quietMs: number): () => number {
  const begin = readProcessorTime();
  return () => {
    const end = readProcessorTime();
    const others = end.busy - begin.busy - (end.ours - begin.ours);
    const share = Math.max(LEAST_SHARE, Math.min(1, 1 - others / (end.total - begin.total)));
    return Math.round(quietMs / share ** 2);
  };
}
