import type { alertAnswer } from "../../../api/alerts/answer";
import type {
  storeAccessAnswer,
  storeLinePage,
  placeOfDeliveryAnswer,
  storeOfInvoiceAnswer,
} from "../../../api/dashboard/stores/request";
import type { storeAnswer } from "../../../api/stores/answer";

export type Answer<S> = S extends { _zod: { output: infer O } } ? O : never;

export type Store = Answer<typeof storeAnswer>;
export type Alert = Answer<typeof alertAnswer>;
/** `member`: false for an admin without a role. */
export type ListedStore = Answer<typeof storeLinePage>["data"][number];
export type StoreAccess = Answer<typeof storeAccessAnswer>;
export type Role = StoreAccess["role"];
export type PlaceOfDelivery = Answer<typeof placeOfDeliveryAnswer>;
export type StoreOfInvoice = Answer<typeof storeOfInvoiceAnswer>;
