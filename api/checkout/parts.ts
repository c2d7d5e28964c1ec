import type { TestCustomer } from "../../adapters/http/test-customer";
import type { HttpParts } from "../http/parts";
import type { ModalScript } from "./modal-script";
import type { SiteParts } from "./site";

export interface CheckoutParts extends HttpParts, SiteParts {
  modal: ModalScript | null;
  /** For shop plugins, which know it by another name; null: not built. */
  btcpayModal: ModalScript | null;
  testCustomer: TestCustomer | null;
}
