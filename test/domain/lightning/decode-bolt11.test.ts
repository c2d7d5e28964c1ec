import { expect } from "chai";
import { Bolt11Error, decodeBolt11 } from "../../../domain/lightning/decode-bolt11";
import { INVALID_VECTORS, VALID_VECTORS } from "./bolt11-vectors";

describe("decodeBolt11", () => {
  for (const { title, text, decoded } of VALID_VECTORS)
    it(`reads BOLT 11's example: ${title}`, () => {
      expect(decodeBolt11(text)).to.deep.equal(decoded);
    });

  for (const { title, text, refusal } of INVALID_VECTORS)
    it(`refuses BOLT 11's invalid example: ${title}`, () => {
      expect(() => decodeBolt11(text)).to.throw(Bolt11Error, refusal);
    });
});
