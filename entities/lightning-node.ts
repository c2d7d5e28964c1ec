import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { NodeFault } from "../domain/errors";
import { sats } from "./transformers";

/** The row of LND_GRPC_URL, which exists whether or not that is set. */
export const SERVER_NODE_ID = "lnd_server";

/** `retired`: makes no new BOLT11s, and is watched until none of its own could be paid. */
export type LightningNodeState = "active" | "retired";

/** An LND that this service calls: the server's, or one that a store's owner connected. */
@Entity({ name: "lightning_nodes" })
@Index("lightning_nodes_store", ["storeId"])
export class LightningNode {
  @PrimaryColumn({ type: "text" }) id: string;
  /** Null for the server's node. */
  @Column({ type: "text", nullable: true }) storeId: string | null;
  /** `host:port`. Null for the server's node: its access is in the environment. */
  @Column({ type: "text", nullable: true }) address: string | null;
  /** PEM. Null: the system's authorities. */
  @Column({ type: "text", nullable: true }) tlsCertificate: string | null;
  /** Encrypted under `APP_SECRET`. Null for the server's node, and for a retired one that is not watched any more. */
  @Column({ type: "bytea", nullable: true }) macaroon: Buffer | null;
  /** Public key, hex: a store's node keeps it, and no other is used under its address. */
  @Column({ type: "text", nullable: true }) nodeKey: string | null;
  /** Another key that was seen under its address: the node is not used until an owner confirms it. */
  @Column({ type: "text", nullable: true }) otherKey: string | null;
  @Column({ type: "text", nullable: true }) network: string | null;
  @Column({ type: "text", default: "active" }) state: LightningNodeState;
  /** Authenticates where a store's payments go (commands/lightning/lightning-node.ts). */
  @Column({ type: "bytea", nullable: true }) mac: Buffer | null;
  @Column({ type: "timestamptz", default: () => "clock_timestamp()" }) createdAt: Date;
  @Column({ type: "timestamptz", nullable: true }) retiredAt: Date | null;
  /** Start of the last complete check. */
  @Column({ type: "timestamptz", nullable: true }) caughtUpTo: Date | null;
  /** Whether or not the node answered; null before the first. */
  @Column({ type: "timestamptz", nullable: true }) checkedAt: Date | null;
  @Column({ type: "boolean", default: false }) synchronized: boolean;
  /** Why it is not caught up, in words without hosts or secrets; null when all is well. */
  @Column({ type: "text", nullable: true }) problem: string | null;
  /** How it could not be used when it was last asked; null where it answered. */
  @Column({ type: "text", nullable: true }) fault: NodeFault | null;
  /** What it could receive when it was last asked; null where it does not say. */
  @Column({ type: "bigint", nullable: true, transformer: sats }) receivableSats: bigint | null;
}
