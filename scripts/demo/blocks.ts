import { setTimeout as pause } from "node:timers/promises";
import type { ChainCustomer } from "./customer-door";

const BLOCK_EVERY_MS = 15_000;
/** Who presses the checkout's buttons mines by one of them, and may want to see what comes before the block. */
const PATIENCE_MS = 120_000;

export const BLOCK_EVERY_SECONDS = BLOCK_EVERY_MS / 1_000;

/** Blocks come by themselves, but not while somebody plays. */
export class Blocks {
  private quietUntil = 0;

  somebodyPlays(): void {
    this.quietUntil = performance.now() + PATIENCE_MS;
  }

  async mineForEver(customer: ChainCustomer, failed: (error: unknown) => void): Promise<never> {
    for (;;) {
      await pause(BLOCK_EVERY_MS);
      if (performance.now() >= this.quietUntil) await customer.mine(1).catch(failed);
    }
  }
}
