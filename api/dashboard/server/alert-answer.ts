import { pageOf } from "../../http/schemas/page";
import { alertAnswer } from "../../alerts/answer";

/** Null: the whole server. */
export const anyAlertAnswer = alertAnswer.extend({ storeId: alertAnswer.shape.storeId.nullable() });

export const anyAlertPage = pageOf("AnyAlertPage", anyAlertAnswer);
