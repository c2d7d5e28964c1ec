import { Column, Entity, Index, PrimaryColumn } from "typeorm";

/** An `Idempotency-Key` of a store: claimed while its request runs, then with its answer. */
@Entity({ name: "idempotency_keys" })
export class IdempotencyKey {
  @PrimaryColumn({ type: "text" }) storeId: string;
  @PrimaryColumn({ type: "text" }) key: string;
  /** SHA-256 of the raw body. */
  @Column({ type: "bytea" }) requestHash: Buffer;
  /** The claim: only its holder may write the answer. */
  @Column({ type: "text" }) claim: string;
  /** A holder that has not answered by then has died: the next one may claim. */
  @Column({ type: "timestamptz" }) claimedUntil: Date;
  /** The answer's exact bytes; null while the request runs. */
  @Column({ type: "bytea", nullable: true }) answer: Buffer | null;
  /** Authenticates the answer, which contains the destination. */
  @Column({ type: "bytea", nullable: true }) mac: Buffer | null;
  @Index("idempotency_keys_expires")
  @Column({ type: "timestamptz" })
  expiresAt: Date;
}
