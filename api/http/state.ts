import type { Caller } from "../../commands/stores/api-key";

export interface ApiState {
  requestId: string;
  caller?: Caller;
  userId?: string;
  /** From its sender's limit; 1 by default. */
  points?: number;
}
