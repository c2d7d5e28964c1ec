import { Column, Entity, PrimaryColumn, Unique } from "typeorm";
import type { ScriptType } from "../domain/chain/script-type";

/**
 * An account-level public key with a script type. The next index belongs to it and not to a store: stores that
 * share a key share the index, and a key that is removed and added again goes on where it stood.
 */
@Entity({ name: "derivations" })
@Unique("derivations_key", ["accountKey", "scriptType"])
export class Derivation {
  @PrimaryColumn({ type: "text" }) id: string;
  /** Chain code and public key as hex: the same whatever version bytes, depth or origin the merchant's form had. */
  @Column({ type: "text" }) accountKey: string;
  @Column({ type: "text" }) scriptType: ScriptType;
  /** The key in its network's plain form (xpub or tpub). */
  @Column({ type: "text" }) xpub: string;
  @Column({ type: "integer", default: 0 }) nextIndex: number;
  @Column({ type: "timestamptz", default: () => "clock_timestamp()" }) createdAt: Date;
}
