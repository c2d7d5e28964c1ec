import { expect } from "chai";
import { leastGainFirst } from "../../../domain/chain/match-outputs";

const P2WPKH = Buffer.concat([Buffer.from([0x00, 20]), Buffer.alloc(20)]);

const pays = (tx: string, valueSats: bigint) => ({
  tx,
  output: { vout: 0, valueSats, scriptPubKey: P2WPKH },
});
const spends = (tx: string, txid: string) => ({ tx, watched: { txid } });

const order = (
  paid: ReturnType<typeof pays>[],
  spent: ReturnType<typeof spends>[] = [],
  counted: Record<string, bigint> = {},
): string => leastGainFirst({ paid, spent }, new Map(Object.entries(counted))).join(" ");

describe("the order in which transactions of the mempool are recorded", () => {
  it("begins with the one that pays least", () => {
    expect(order([pays("a", 3_000n), pays("b", 1_000n), pays("c", 2_000n)])).to.equal("b c a");
  });

  it("has one that takes back before one that pays, in whatever order they came", () => {
    const counted = { old: 5_000n };
    expect(order([pays("a", 1_000n)], [spends("b", "old")], counted)).to.equal("b a");
    expect(order([pays("a", 1_000n), pays("b", 1_000n)], [spends("b", "old")], counted)).to.equal("b a");
    expect(order([pays("b", 1_000n), pays("a", 1_000n)], [spends("b", "old")], counted)).to.equal("b a");
  });

  it("has one that pays less than it takes back before one that takes back nothing", () => {
    expect(order([pays("a", 400n), pays("b", 4_000n)], [spends("b", "old")], { old: 5_000n })).to.equal(
      "b a",
    );
  });

  it("subtracts what a transaction counts once, however many of its coins are spent", () => {
    const twice = [spends("a", "old"), spends("a", "old")];
    expect(order([pays("a", 8_000n), pays("b", 1_000n)], twice, { old: 5_000n })).to.equal("b a");
  });

  it("subtracts each of several transactions", () => {
    const both = [spends("a", "old"), spends("a", "older")];
    expect(order([pays("a", 8_000n), pays("b", 1_000n)], both, { old: 5_000n, older: 2_500n })).to.equal(
      "a b",
    );
  });

  it("counts neither dust nor what no longer counts", () => {
    expect(order([pays("a", 293n), pays("a", 293n), pays("b", 294n)])).to.equal("a b");
    expect(order([pays("a", 293n), pays("b", 0n)]), "equal: as they came").to.equal("a b");
    expect(order([pays("a", 1_000n), pays("b", 2_000n)], [spends("b", "gone")])).to.equal("a b");
  });
});
