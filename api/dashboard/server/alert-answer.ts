import { pageOf } from "../../http/schemas/page";
import { alertAnswer } from "../../alerts/answer";

/** An alert, possibly about the whole server. */
const anyAlert = alertAnswer.extend({ storeId: alertAnswer.shape.storeId.nullable() });

export const anyAlertAnswer = anyAlert;
export const anyAlertPage = pageOf("AnyAlertPage", anyAlert);
