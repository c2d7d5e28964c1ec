import type { alertAnswer } from "../../../api/alerts/answer";
import type {
  storeAccessAnswer,
  storeLinePage,
  placeOfDeliveryAnswer,
  storeOfInvoiceAnswer,
} from "../../../api/dashboard/stores/request";
import type { storeAnswer } from "../../../api/stores/answer";

/** A schema's type as the API answers it, as JSON. */
export type Answer<S> = S extends { _zod: { output: infer O } } ? O : never;

export type Store = Answer<typeof storeAnswer>;
export type Alert = Answer<typeof alertAnswer>;
/** A store in the list of one's own; server admins see all, `member` false where they have no role. */
export type ListedStore = Answer<typeof storeLinePage>["data"][number];
/** What one may do in a store. */
export type StoreAccess = Answer<typeof storeAccessAnswer>;
export type Role = StoreAccess["role"];
export type PlaceOfDelivery = Answer<typeof placeOfDeliveryAnswer>;
export type StoreOfInvoice = Answer<typeof storeOfInvoiceAnswer>;
