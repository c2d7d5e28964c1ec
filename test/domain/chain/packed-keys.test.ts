import { expect } from "chai";
import fc from "fast-check";
import { KeyPile, type PackedKeys, splitPacket } from "../../../domain/chain/packed-keys";

/** Each out of the midst of other bytes. */
function packKeys(keys: readonly Buffer[]): PackedKeys[] {
  const pile = new KeyPile();
  for (const key of keys)
    pile.add(Buffer.concat([Buffer.from([9]), key, Buffer.from([9, 9])]), 1, key.length);
  return pile.pack();
}

function unpack({ bytes, length, count }: PackedKeys): string[] {
  expect(bytes).to.have.length(count * length);
  return Array.from({ length: count }, (_, at) =>
    bytes.subarray(at * length, (at + 1) * length).toString("hex"),
  );
}

/** Few different bytes and a common beginning, so that keys begin alike and are alike. */
const anyKeys = fc
  .tuple(
    fc.uint8Array({ maxLength: 3 }),
    fc.array(fc.uint8Array({ maxLength: 9, max: 2 }), { maxLength: 60 }),
    fc.array(fc.uint8Array({ minLength: 8, maxLength: 8 }), { maxLength: 60 }),
  )
  .map(([head, alike, different]) =>
    [...alike, ...different].map((tail) => Buffer.concat([Buffer.from(head), Buffer.from(tail)])),
  );

describe("packed keys", () => {
  it("of any keys are those of each length, once and in the order of their bytes", () => {
    fc.assert(
      fc.property(anyKeys, (keys) => {
        const packets = packKeys(keys);
        const lengths = packets.map(({ length }) => length);
        expect(lengths).to.have.members([...new Set(keys.map((key) => key.length))]);
        for (const packet of packets) {
          const same = keys.filter((key) => key.length === packet.length).map((key) => key.toString("hex"));
          expect(unpack(packet)).to.deep.equal([...new Set(same)].sort());
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("are in order where thousands differ only behind their first bytes", () => {
    const keys = Array.from({ length: 5_000 }, (_, n) => {
      const key = Buffer.alloc(36, 7);
      key.writeUInt16BE((n * 7_919) % 4_096, 30);
      key[0] = n % 2;
      return key;
    });
    const [packet, ...more] = packKeys(keys);
    expect(more).to.deep.equal([]);
    expect(unpack(packet as PackedKeys)).to.deep.equal(
      [...new Set(keys.map((key) => key.toString("hex")))].sort(),
    );
  });

  it("are whole in the parts of a packet, of which none is larger than asked for", () => {
    fc.assert(
      fc.property(anyKeys, fc.integer({ min: 1, max: 20 }), (keys, most) => {
        for (const packet of packKeys(keys)) {
          const parts = splitPacket(packet, most);
          expect(parts.flatMap(unpack)).to.deep.equal(unpack(packet));
          expect(parts.every(({ count }) => count >= 1 && count <= most)).to.equal(true);
        }
      }),
    );
  });

  it("of nothing are nothing", () => {
    expect(packKeys([])).to.deep.equal([]);
  });
});
