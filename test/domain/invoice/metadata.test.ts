import { isDeepStrictEqual } from "node:util";
import { expect } from "chai";
import fc from "fast-check";
import { duplicateMember, mergeMembers, rawMember, withOrderId } from "../../../domain/invoice/metadata";

/** The same JSON text with white space wherever RFC 8259 allows it. */
function spaced(text: string, spaces: readonly string[]): string {
  let next = 0;
  const space = (): string => spaces[next++ % spaces.length] ?? "";
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^{}[\],:"]+/g) ?? [];
  return space() + tokens.map((token) => token + space()).join("");
}

const whiteSpace = fc.array(fc.constantFrom("", " ", "\n", "\t", "\r\n  "), { minLength: 1, maxLength: 7 });

describe("rawMember", () => {
  it("keeps large numbers, integer-like keys, their order and escapes as sent, without white space", () => {
    const text = `{
      "amount": "5",
      "metadata": { "2": 12345678901234567890.10, "1": "caf\\u00e9 \\/ \\" : , } ]", "a b": [ 1e400 , { } , [ ] ] },
      "after": { "metadata": 1 }
    }`;
    expect(rawMember(text, "metadata")).to.equal(
      '{"2":12345678901234567890.10,"1":"caf\\u00e9 \\/ \\" : , } ]","a b":[1e400,{},[]]}',
    );
  });

  it("removes white space and nothing else", () => {
    fc.assert(
      fc.property(fc.json(), whiteSpace, (json, spaces) => {
        const compact = JSON.stringify(JSON.parse(json));
        expect(rawMember(spaced(`{"a":${compact}}`, spaces), "a")).to.equal(compact);
      }),
    );
  });

  it("finds members of the top level only", () => {
    expect(rawMember('{"a":{"metadata":{"x":1}},"b":["metadata"],"c":"metadata"}', "metadata")).to.equal(
      null,
    );
    expect(rawMember('{"a":{"metadata":1},"metadata":{"y":2}}', "metadata")).to.equal('{"y":2}');
  });

  it("finds a name that is written with escapes", () => {
    expect(rawMember('{"meta\\u0064ata":{}}', "metadata")).to.equal("{}");
  });

  it("finds nothing in an empty object, an array, or a document that is no object", () => {
    for (const text of ["{}", " { } ", '["metadata",1]', '"metadata"', "1", "null"])
      expect(rawMember(text, "metadata"), text).to.equal(null);
  });

  it("takes the last of two, as JSON.parse does", () => {
    expect(rawMember('{"a":1,"a":[2]}', "a")).to.equal("[2]");
  });

  it("handles nesting and strings as deep and long as a body allows", () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    expect(rawMember(`{"a":${deep}}`, "a")).to.equal(deep);
    const long = JSON.stringify('\\"'.repeat(60_000));
    expect(rawMember(`{"a": ${long} }`, "a")).to.equal(long);
  });

  it("parses to the same value, whatever the document and its white space", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()),
        whiteSpace,
        (document, spaces) => {
          const text = spaced(JSON.stringify(document), spaces);
          const parsed = JSON.parse(text) as Record<string, unknown>;
          for (const name of Object.keys(parsed)) {
            const raw = rawMember(text, name) ?? "";
            expect(raw).to.equal(JSON.stringify(parsed[name]));
            expect(JSON.parse(raw)).to.deep.equal(parsed[name]);
          }
          expect(rawMember(text, "no such name, surely")).to.equal(null);
        },
      ),
    );
  });
});

describe("duplicateMember", () => {
  it("names a member that occurs twice, also when one is written with escapes", () => {
    expect(duplicateMember('{"a":1,"b":2,"\\u0061":3}')).to.equal("a");
    expect(duplicateMember('{"__proto__":1,"__proto__":2}')).to.equal("__proto__");
  });

  it("is null when each occurs once on the top level", () => {
    expect(duplicateMember('{"a":{"b":1,"b":2},"b":[]}')).to.equal(null);
    expect(duplicateMember("{}")).to.equal(null);
  });
});

describe("withOrderId", () => {
  it("puts the order id in front when there is none", () => {
    expect(withOrderId('{ "b": 1.0 }', "inv_1")).to.equal('{"orderId":"inv_1","b":1.0}');
    expect(withOrderId("{}", 'quote " and \\')).to.equal('{"orderId":"quote \\" and \\\\"}');
  });

  it("keeps an order id that is there, and ignores one further down", () => {
    expect(withOrderId('{"b":1, "orderId":"mine"}', "inv_1")).to.equal('{"b":1,"orderId":"mine"}');
    expect(withOrderId('{"b":{"orderId":"x"}}', "inv_1")).to.equal('{"orderId":"inv_1","b":{"orderId":"x"}}');
  });

  it("adds only the order id to any object", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (object, orderId) => {
        const text = JSON.stringify(object);
        const expected = Object.hasOwn(object, "orderId") ? object : { orderId, ...object };
        expect(JSON.parse(withOrderId(text, orderId))).to.deep.equal(JSON.parse(JSON.stringify(expected)));
      }),
    );
  });
});

describe("mergeMembers", () => {
  it("keeps members without a patch exactly as sent: numbers, escapes, integer-like keys", () => {
    expect(
      mergeMembers('{"10":1.0,"2":90071992547409931,"\\u0061":"\\u00e9"}', '{ "new" : [ 1 ] }'),
    ).to.equal('{"10":1.0,"2":90071992547409931,"\\u0061":"\\u00e9","new":[1]}');
  });

  it("replaces a value in place, by name and not by spelling", () => {
    expect(mergeMembers('{"a":1,"\\u0062":2,"c":3}', '{"b":{"x":1e400}}')).to.equal(
      '{"a":1,"\\u0062":{"x":1e400},"c":3}',
    );
    expect(mergeMembers('{"__proto__":1}', '{"__proto__":2}')).to.equal('{"__proto__":2}');
  });

  it("removes what is null, on the top level only", () => {
    expect(mergeMembers('{"a":1,"b":{"c":2}}', '{"a":null,"b":{"c":null},"none":null}')).to.equal(
      '{"b":{"c":null}}',
    );
    expect(mergeMembers('{"a":1}', '{"a":null}')).to.equal("{}");
  });

  it("equals a merge of the parsed objects, and keeps the text of every member that is not patched", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(object, object, whiteSpace, (before, patch, spaces) => {
        const text = JSON.stringify(before);
        const merged = mergeMembers(text, spaced(JSON.stringify(patch), spaces));
        const given = JSON.parse(JSON.stringify(patch)) as Record<string, unknown>;
        const expected = new Map(Object.entries(JSON.parse(text) as Record<string, unknown>));
        for (const [name, value] of Object.entries(given))
          if (value === null) expected.delete(name);
          else expected.set(name, value);
        // Not chai's: it sorts a Map by its entries as text, and a value may have a `toString` of its own.
        expect(isDeepStrictEqual(new Map(Object.entries(JSON.parse(merged) as object)), expected)).to.equal(
          true,
        );
        for (const name of Object.keys(before))
          if (!Object.hasOwn(given, name)) expect(rawMember(merged, name)).to.equal(rawMember(text, name));
        expect(duplicateMember(merged)).to.equal(null);
      }),
    );
  });

  it("changes nothing with an empty patch, and is idempotent", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(object, object, (before, patch) => {
        const [text, change] = [JSON.stringify(before), JSON.stringify(patch)];
        expect(mergeMembers(text, "{}")).to.equal(text);
        const once = mergeMembers(text, change);
        expect(mergeMembers(once, change)).to.equal(once);
      }),
    );
  });
});
