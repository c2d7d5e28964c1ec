import { mergeMembers, rawMember } from "../invoice/metadata";

/**
 * A plugin's metadata, raw, with a number as order id made a text, digit by digit: some plugins compare what they read
 * back with a text. `null` is no order id.
 */
export function withTextOrderId(rawObjectText: string): string {
  const orderId = rawMember(rawObjectText, "orderId");
  if (orderId === "null") return mergeMembers(rawObjectText, '{"orderId":null}');
  if (orderId === null || !/^[-\d]/.test(orderId)) return rawObjectText;
  return mergeMembers(rawObjectText, `{"orderId":"${orderId}"}`);
}
