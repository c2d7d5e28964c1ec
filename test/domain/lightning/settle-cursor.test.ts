import { expect } from "chai";
import fc from "fast-check";
import {
  afterSettled,
  HOLE_PATIENCE_MS,
  pastHole,
  type SettlePosition,
} from "../../../domain/lightning/settle-cursor";

const T0 = new Date("2026-01-01T00:00:00Z");
const at = (ms: number): Date => new Date(T0.getTime() + ms);

/** Reads the indexes in their order, as a watcher does. */
function read(
  start: SettlePosition | null,
  indexes: readonly bigint[],
): { position: SettlePosition | null; ahead: Set<bigint> } {
  const ahead = new Set<bigint>();
  let position = start;
  indexes.forEach((index, order) => {
    ahead.add(index);
    position = afterSettled(position, ahead, at(order));
  });
  return { position, ahead };
}

describe("the position in LND's settled invoices", () => {
  const five: SettlePosition = { settleIndex: 5n, gapSince: null };

  it("begins below the first index seen when nothing was read before", () => {
    expect(read(null, [41n]).position).to.deep.equal({ settleIndex: 41n, gapSince: null });
  });

  it("waits at a gap, keeps since when, and continues to the end once it is filled", () => {
    expect(read(five, [7n, 8n]).position).to.deep.equal({ settleIndex: 5n, gapSince: at(0) });
    expect(read(five, [7n, 8n, 6n]).position).to.deep.equal({ settleIndex: 8n, gapSince: null });
  });

  it("treats a gap behind a filled one as a new one", () => {
    expect(read(five, [7n, 9n, 6n]).position).to.deep.equal({ settleIndex: 7n, gapSince: at(2) });
  });

  it("is unchanged by what was read before", () => {
    expect(read(five, [3n, 5n]).position).to.deep.equal(five);
  });

  it("ends at the last index, in whatever order and however often they come", () => {
    const orders = fc
      .integer({ min: 1, max: 30 })
      .map((size) => Array.from({ length: size }, (_, i) => 6n + BigInt(i)))
      .chain((indexes) =>
        fc.tuple(
          fc.shuffledSubarray(indexes, { minLength: indexes.length }),
          fc.array(fc.constantFrom(...indexes)),
        ),
      );
    fc.assert(
      fc.property(orders, ([indexes, again]) => {
        const { position } = read(five, [...indexes, ...again]);
        expect(position).to.deep.equal({ settleIndex: 5n + BigInt(indexes.length), gapSince: null });
      }),
    );
  });

  describe("at a gap", () => {
    const { position: hole, ahead } = read(five, [7n, 8n, 10n]);
    const past = (lookedUpMs: number, nowMs: number) =>
      hole && pastHole(hole, ahead, at(lookedUpMs), at(nowMs));

    it("moves on after ten minutes, to the next gap", () => {
      expect(past(1, HOLE_PATIENCE_MS)).to.deep.equal({ settleIndex: 8n, gapSince: at(HOLE_PATIENCE_MS) });
    });

    it("waits for the ten minutes", () => {
      expect(past(1, HOLE_PATIENCE_MS - 1)).to.equal(null);
    });

    it("waits for look-ups that began after the gap was seen", () => {
      expect(past(-1, HOLE_PATIENCE_MS)).to.equal(null);
    });

    it("waits, after a restart, until LND sends the later ones again", () => {
      expect(hole && pastHole(hole, new Set(), at(1), at(HOLE_PATIENCE_MS))).to.equal(null);
    });

    it("has nothing to pass when none is missing", () => {
      expect(pastHole(five, new Set([6n, 8n]), at(1), at(HOLE_PATIENCE_MS))).to.equal(null);
    });
  });
});
