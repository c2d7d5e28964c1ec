import { expect } from "chai";
import fc from "fast-check";
import { KnownTxids } from "../../../domain/chain/known-txids";

const txid = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString("hex"));
const AT = new Date(1_000);
const txids = fc.uniqueArray(txid, { maxLength: 60 });

describe("known txids", () => {
  it("are those of the last list except the excluded ones, whatever came before", () => {
    fc.assert(
      fc.property(txids, txids, fc.nat(), (earlier, later, cut) => {
        const known = new KnownTxids();
        known.replace(earlier, new Set(), AT);
        const except = new Set(later.slice(0, cut % (later.length + 1)));
        known.replace(later, except, AT);
        const stillUnknown = later.filter((id) => except.has(id));
        const gone = earlier.filter((id) => !later.includes(id));
        expect(known.takeUnknown([...later, ...gone])).to.deep.equal([...stillUnknown, ...gone]);
      }),
    );
  });

  it("can be forgotten, also while they are compared", () => {
    const known = new KnownTxids();
    const [a, b] = ["aa".repeat(32), "bb".repeat(32)];
    known.replace([a, b], new Set(), AT);
    known.forget([a]);
    expect(known.takeUnknown([a, b])).to.deep.equal([a]);
    known.forget([b]); // somebody else learned of it meanwhile
    known.replace([a, b], new Set(), AT);
    expect(known.takeUnknown([a, b])).to.deep.equal([b]);
    expect(known.takeUnknown([a, b])).to.deep.equal([]);
  });

  it("can be added before they are listed, and stay while they are listed", () => {
    const known = new KnownTxids();
    const [a, b] = ["aa".repeat(32), "bb".repeat(32)];
    known.note([a]);
    expect(known.takeUnknown([a, b])).to.deep.equal([b]);
    known.note([b]); // while the list is being read
    known.replace([a], new Set(), AT);
    expect(known.takeUnknown([a, b])).to.deep.equal([]);
    known.replace([b], new Set(), AT);
    expect(known.takeUnknown([a, b]), "a has left").to.deep.equal([a]);
  });

  it("that are added and forgotten follow the last call", () => {
    const known = new KnownTxids();
    const a = "aa".repeat(32);
    known.note([a]);
    known.forget([a]);
    expect(known.takeUnknown([a])).to.deep.equal([a]);
    known.forget([a]);
    known.note([a]);
    expect(known.takeUnknown([a])).to.deep.equal([]);
  });

  it("keep the time of their first list, also for one list after they have left", () => {
    const known = new KnownTxids();
    const [a, b] = ["aa".repeat(32), "bb".repeat(32)];
    known.replace([a], new Set(), AT);
    known.replace([a, b], new Set(), new Date(2_000));
    expect([a, b].map((txid) => known.listedAt(txid)?.getTime())).to.deep.equal([1_000, 2_000]);
    known.replace([b], new Set(), new Date(3_000));
    expect([a, b].map((txid) => known.listedAt(txid)?.getTime())).to.deep.equal([1_000, 2_000]);
    known.replace([b], new Set(), new Date(4_000));
    expect([a, b].map((txid) => known.listedAt(txid)?.getTime())).to.deep.equal([undefined, 2_000]);
  });
});
