import { setTimeout as pause } from "node:timers/promises";
import type { ChainCustomer } from "./customer-door";

const BLOCK_EVERY_MS = 15_000;
/** Blocks are also mined by a button of the checkout, whose user may want to see the state before the block. */
const PATIENCE_MS = 120_000;

export const BLOCK_EVERY_SECONDS = BLOCK_EVERY_MS / 1_000;

/** Mines blocks periodically, but not while the buttons are used. */
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
