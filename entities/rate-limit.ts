import { Column, Entity, PrimaryColumn } from "typeorm";

/**
 * Requests of one sender in its window, where there is no Redis. The table is UNLOGGED: a crash empties it, and no
 * request waits for the disk. Shape and order of the columns are those of rate-limiter-flexible.
 */
@Entity({ name: "rate_limits" })
export class RateLimit {
  @PrimaryColumn({ type: "text" }) key: string;
  @Column({ type: "integer", default: 0 }) points: number;
  /** Unix milliseconds. */
  @Column({ type: "bigint", nullable: true }) expire: string | null;
}
