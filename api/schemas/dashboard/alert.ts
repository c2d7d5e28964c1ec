import { pageOf } from "../page";
import { alertAnswer } from "../alert-answer";

/** An alert that may be about the whole server. */
const anyAlert = alertAnswer.extend({ storeId: alertAnswer.shape.storeId.nullable() });

export const anyAlertAnswer = anyAlert;
export const anyAlertPage = pageOf("AnyAlertPage", anyAlert);
