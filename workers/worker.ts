import type { Infrastructure } from "../adapters/context";
import type { CommandContext } from "../commands/context";

export interface WorkerParts extends Infrastructure {
  ctx: CommandContext;
  /** The worker cannot go on; the process ends and is started again. */
  onFatal: (error: Error) => void;
}

export interface RunningWorker {
  /** Begins nothing new; resolves when what was under way has ended. */
  close(): Promise<void>;
}

/** What each file of this folder that is named like an app exports. */
export type StartWorker = (parts: WorkerParts) => RunningWorker | Promise<RunningWorker>;
