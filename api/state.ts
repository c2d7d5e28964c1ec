import type { Caller } from "../commands/stores/api-key";

/** What middleware hands on with a request. */
export interface ApiState {
  requestId: string;
  /** Set once the key is known. */
  caller?: Caller;
  /** Set once the session is known. */
  userId?: string;
  /** What the request costs of its sender's limit; 1 by default. */
  points?: number;
}
