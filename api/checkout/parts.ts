import type { TestCustomer } from "../../adapters/http/test-customer";
import type { BuiltFile } from "../http/built-files";
import type { HttpParts } from "../http/parts";
import type { SiteParts } from "./site";

export interface CheckoutParts extends HttpParts, SiteParts {
  modal: BuiltFile | null;
  /** For shop plugins, which know it by another name; null: not built. */
  btcpayModal: BuiltFile | null;
  testCustomer: TestCustomer | null;
}
