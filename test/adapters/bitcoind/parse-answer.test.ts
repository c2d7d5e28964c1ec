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
const inPieces = (text: string, sizes: readonly number[]): Buffer[] => {
  const pieces: Buffer[] = [];
  let rest = Buffer.from(text);
  for (const size of sizes) {
    pieces.push(rest.subarray(0, size));
    rest = rest.subarray(size);
  }
  return [...pieces, rest];
};
/** A result as text again; where it came as bytes it was a long one of digits alone. */
const withText = (answer: unknown): unknown => {
  const { result } = (answer ?? {}) as { result?: unknown };
  if (!Buffer.isBuffer(result)) return answer;
  expect(result).to.have.length.greaterThan(LONG / 4);
  return { ...(answer as object), result: result.toString("hex") };
};
const expectAsJson = (text: string, sizes: readonly number[] = []): void => {
  const same = orError(() => JSON.parse(text));
  expect(orError(() => withText(parseAnswer(inPieces(text, sizes))))).to.deep.equal(same);
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
        '","result":"00"}',
        "}",
        "",
      ),
      fc.string(),
    );
    const anySizes = fc.array(fc.oneof(fc.nat(12), fc.nat(LONG)), { maxLength: 4 });
    fc.assert(
      fc.property(fc.constantFrom(0, LONG, LONG + 1), tail, tail, anySizes, (length, one, other, sizes) => {
        // JSON.parse alone refuses control characters in a text: whoever takes the text checks what it is
        const digits = "0f9a".repeat(length / 4).padEnd(length, "7");
        const text = `{"result":"${digits}${one}${other}`.replaceAll(/[\0-\x1f]/g, " "); // eslint-disable-line no-control-regex
        expectAsJson(text, sizes);
      }),
      { numRuns: 500 },
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

  it("that is a block is its bytes, wherever its pieces part", () => {
    const digits = "0f".repeat(2_000_000);
    const text = `{"result":"${digits}","error":null,"id":0}\n`;
    for (const sizes of [[], [65_536, 65_535, 1, 0, 65_536], [11], [12], [4_000_011], [4_000_012]])
      expect(parseAnswer(inPieces(text, sizes))).to.deep.equal({
        result: Buffer.from(digits, "hex"),
        error: null,
        id: 0,
      });
  });

  it("with an odd number of digits, or with another character among them, is a text", () => {
    const even = "0f".repeat(LONG);
    for (const text of [`${even}a`, `${even}x${even}`, `${even}a-${even}`, `a\\u0030${even}`])
      expect(parseAnswer([Buffer.from(`{"result":"${text}"}`)])).to.deep.equal(
        JSON.parse(`{"result":"${text}"}`),
      );
  });
});
