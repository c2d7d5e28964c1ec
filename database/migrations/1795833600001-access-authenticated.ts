import type { MigrationInterface } from "typeorm";

/**
 * Changes no table: that it is applied says that `migrate` has authenticated the rows that were there before, once.
 * Until then no app starts.
 */
export class AccessAuthenticated1795833600001 implements MigrationInterface {
  name = "AccessAuthenticated1795833600001";

  up(): Promise<void> {
    return Promise.resolve();
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}
