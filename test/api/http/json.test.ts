import { expect } from "chai";
import fc from "fast-check";
import { RawJson, toJson } from "../../../api/http/json";

describe("API: JSON", () => {
  it("equals JSON.stringify on plain data", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(toJson(value)).to.equal(JSON.stringify(value));
      }),
    );
    expect(toJson({ a: undefined, b: [undefined], c: Infinity })).to.equal('{"b":[null],"c":null}');
  });

  it("inserts raw text unchanged, and nothing that only looks like it", () => {
    const raw = new RawJson('{"2":1.0,"1":9223372036854775808}');
    expect(toJson({ raw, like: { text: raw.text } })).to.equal(
      `{"raw":${raw.text},"like":{"text":${JSON.stringify(raw.text)}}}`,
    );
  });

  it("writes sats as exact numbers and refuses those that a number would round", () => {
    expect(toJson({ all: 2_100_000_000_000_000n, none: 0n })).to.equal('{"all":2100000000000000,"none":0}');
    expect(toJson(2n ** 53n - 1n)).to.equal("9007199254740991");
    expect(() => toJson([2n ** 53n])).to.throw(RangeError);
  });

  it("writes times as RFC 3339 UTC", () => {
    expect(toJson(new Date(1_700_000_000_123))).to.equal('"2023-11-14T22:13:20.123Z"');
  });
});
