import { mergeMembers, rawMember } from "../invoice/metadata";

/** A number as order id becomes a text, digit by digit: some plugins compare it with one. `null` is no order id. */
export function withTextOrderId(rawObjectText: string): string {
  const orderId = rawMember(rawObjectText, "orderId");
  if (orderId === "null") return mergeMembers(rawObjectText, '{"orderId":null}');
  if (orderId === null || !/^[-\d]/.test(orderId)) return rawObjectText;
  return mergeMembers(rawObjectText, `{"orderId":"${orderId}"}`);
}
