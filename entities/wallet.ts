import { Column, Entity, PrimaryColumn, Unique } from "typeorm";
import type { ScriptType } from "../domain/wallet/script-type";

/**
 * A merchant's wallet: an account-level public key with a script type. The next index belongs to it and not to a
 * store: stores that share a key share the index, and a key that is removed and added again continues at its index.
 */
@Entity({ name: "wallets" })
@Unique("wallets_key", ["accountKeyHash", "scriptType"])
export class Wallet {
  @PrimaryColumn({ type: "text" }) id: string;
  /**
   * Keyed hash of chain code and public key: the same whatever version bytes, depth or origin the merchant's form
   * had. It is keyed with `APP_SECRET`, so that nobody else can find out whose key it is.
   */
  @Column({ type: "bytea" }) accountKeyHash: Buffer;
  @Column({ type: "text" }) scriptType: ScriptType;
  /** The key in its network's plain form (xpub or tpub), encrypted under `APP_SECRET`. */
  @Column({ type: "bytea" }) xpubEncrypted: Buffer;
  @Column({ type: "integer", default: 0 }) nextIndex: number;
  @Column({ type: "timestamptz", default: () => "clock_timestamp()" }) createdAt: Date;
}
