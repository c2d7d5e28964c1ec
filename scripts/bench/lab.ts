import type { Servers } from "./servers";
import type { App, Service, ServiceOptions } from "./service";

export type QueueKind = "redis" | "postgres";

/** What a bench works with. */
export interface Lab {
  servers: Servers;
  /** Where the service keeps its queues in this run. */
  queues: QueueKind;
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
  /** Processes' resident memory under a load, in MB, for the bench of memory. */
  noteMemory(load: string, memory: Partial<Record<App, number>>): void;
  /** The notes of this run so far. */
  memories: ReadonlyMap<string, Partial<Record<App, number>>>;
  /** A part of the bench: what it starts ends with it, and its databases are gone. */
  apart<T>(part: (lab: Lab) => Promise<T>): Promise<T>;
  /** What has to be ended after the bench, last first. */
  onEnd(end: () => Promise<void> | void): void;
}
