import { expect } from "chai";
import { shareOfNodes } from "../../../domain/lightning/share-nodes";

/** By copy the nodes that it holds after each has chosen so many times. */
function settled(nodeCount: number, copies: readonly string[], first: Record<string, string>): number[] {
  const holders = new Map<string, string | null>();
  for (let number = 0; number < nodeCount; number += 1)
    holders.set(`n${number}`, first[`n${number}`] ?? first["all"] ?? null);
  for (let round = 0; round < 60; round += 1)
    for (const me of copies) {
      const nodes = [...holders].map(([id, holder]) => ({ id, holder }));
      const held = new Set(nodes.filter(({ holder }) => holder === me).map(({ id }) => id));
      const wanted = new Set(shareOfNodes(nodes, copies, { me, held }));
      for (const [id, holder] of holders)
        if (wanted.has(id) && holder === null) holders.set(id, me);
        else if (!wanted.has(id) && holder === me) holders.set(id, null);
    }
  return copies.map((copy) => [...holders.values()].filter((holder) => holder === copy).length).sort();
}

describe("the share of Lightning nodes that a copy watches", () => {
  it("is even, wherever they were before, and leaves none unwatched", () => {
    expect(settled(1, ["a", "b"], {})).to.deep.equal([0, 1]);
    expect(settled(7, ["a", "b", "c"], { all: "a" })).to.deep.equal([2, 2, 3]);
    expect(settled(4, ["a", "b", "c"], { n0: "a", n1: "a", n2: "b", n3: "b" })).to.deep.equal([1, 1, 2]);
    expect(settled(1_000, ["a", "b"], { all: "gone" })).to.deep.equal([0, 0]); // until its leases have ended
    expect(settled(1_000, ["a", "b"], {})).to.deep.equal([500, 500]);
  });

  it("grows by fifty at a time, and does not move while it is even", () => {
    const free = Array.from({ length: 200 }, (_, number) => ({ id: `n${number}`, holder: null }));
    expect(shareOfNodes(free, ["a"], { me: "a", held: new Set() })).to.have.length(50);
    const two = [
      { id: "n0", holder: "a" },
      { id: "n1", holder: "b" },
    ];
    expect(shareOfNodes(two, ["a", "b"], { me: "a", held: new Set(["n0"]) })).to.deep.equal(["n0"]);
  });
});
