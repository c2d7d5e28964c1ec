import type { Servers } from "./servers";
import type { Service, ServiceOptions } from "./service";

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
  /** A new database, migrated. */
  newDatabase(): Promise<string>;
  /** Apps as processes of their own, on a new database unless one is given. They end with the bench. */
  startService(options: ServiceOptions): Promise<Service>;
  /** Progress, for who waits. */
  say(text: string): void;
  /** What has to be ended when the bench is over, last first. */
  onEnd(end: () => Promise<void> | void): void;
}
