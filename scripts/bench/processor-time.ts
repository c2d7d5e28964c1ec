import { readdirSync, readFileSync } from "node:fs";
import type { Servers } from "./servers";
import type { Service } from "./service";

/** A clock tick of proc(5): 100 a second on every Linux that we run on. */
const TICK_MS = 10;

/** Fields of `/proc/<pid>/stat` from the third (the state) on; none of a process that is gone. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

/** Of a process, its children that have ended, and those that live. */
function ticksBelow(root: number, parents: ReadonlyMap<number, number>): number {
  const own = statOf(root).slice(11, 15).map(Number);
  const children = [...parents].filter(([, parent]) => parent === root).map(([pid]) => pid);
  return (
    own.reduce((sum, ticks) => sum + ticks, 0) +
    children.reduce((sum, pid) => sum + ticksBelow(pid, parents), 0)
  );
}

/** Milliseconds of processor time so far, of each app and of the servers that the bench has started. Linux only. */
export function processorMs(service: Service, { pids }: Servers): ReadonlyMap<string, number> {
  const parents = new Map(
    readdirSync("/proc")
      .map(Number)
      .filter(Number.isInteger)
      .map((pid) => [pid, Number(statOf(pid)[1])]),
  );
  return new Map(
    [...service.pids(), ...Object.entries(pids)].map(([name, pid]) => [
      name,
      ticksBelow(pid, parents) * TICK_MS,
    ]),
  );
}
