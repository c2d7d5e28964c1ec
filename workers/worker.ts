import type { Infrastructure } from "../adapters/context";
import type { CommandContext } from "../commands/context";

export interface WorkerParts extends Infrastructure {
  ctx: CommandContext;
  /** The worker cannot continue; the process ends, after the other workers' work in progress, and is restarted. */
  onFatal: (error: Error) => void;
}

export interface RunningWorker {
  /** Begins nothing new; resolves when work in progress has ended. */
  close(): Promise<void>;
}

/** The export of each file of this folder that is named like an app. */
export type StartWorker = (parts: WorkerParts) => RunningWorker | Promise<RunningWorker>;
