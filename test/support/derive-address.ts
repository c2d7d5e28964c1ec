import type { Network } from "../../domain/network";
import { type Account, addressesOf, type DerivedAddress } from "../../domain/wallet/derive-address";

/** The address at one index. */
export function deriveAddress(account: Account, index: number, network: Network): DerivedAddress {
  return addressesOf(account, network)(index);
}
