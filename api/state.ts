import type { Caller } from "../commands/stores/api-key";

export interface ApiState {
  requestId: string;
  /** Once the key is known. */
  caller?: Caller;
  /** Once the session is known. */
  userId?: string;
  /** From its sender's limit; 1 by default. */
  points?: number;
}
