import { expect } from "chai";
import fc from "fast-check";
import { parseAnswer } from "../../../adapters/bitcoind/parse-answer";

const LONG = 70_000;
const orError = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return (error as Error).name;
  }
};
const expectAsJson = (text: string): void => {
  const same = orError(() => JSON.parse(text));
  expect(orError(() => parseAnswer(Buffer.from(text)))).to.deep.equal(same);
};

describe("an answer of bitcoind", () => {
  it("that is a long text is read as JSON.parse reads it, whatever stands in it and behind it", () => {
    const tail = fc.oneof(
      fc.constantFrom(
        '"',
        '\\"',
        "é",
        "\\u0041",
        "\\\\",
        '","error":null,"id":0}',
        '","error":{"code":-5}}\n',
        "}",
        "",
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.constantFrom(0, LONG), tail, tail, (length, one, other) => {
        // JSON.parse alone refuses control characters in a text: whoever takes the text checks what it is
        const text = `{"result":"${"0f".repeat(length / 2)}${one}${other}`.replaceAll(/[\0-\x1f]/g, " "); // eslint-disable-line no-control-regex
        expectAsJson(text);
      }),
      { numRuns: 300 },
    );
  });

  it("of any other kind is read as JSON.parse reads it", () => {
    const pad = " ".repeat(LONG);
    fc.assert(
      fc.property(fc.json(), fc.boolean(), (json, long) =>
        expectAsJson(`{"result":${json}${long ? pad : ""}}`),
      ),
    );
    for (const text of ["", "[]", "nonsense", `{"result":"`, `{"result":"${pad}`, `["${pad}"]`])
      expectAsJson(text);
  });

  it("that is a block is its digits", () => {
    const digits = "0f".repeat(2_000_000);
    const answer = parseAnswer(Buffer.from(`{"result":"${digits}","error":null,"id":0}\n`));
    expect(answer).to.deep.equal({ result: digits, error: null, id: 0 });
  });
});
