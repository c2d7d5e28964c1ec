import { expect } from "chai";
import { ChainHints } from "../../../workers/chain/chain-hints";

describe("chain-watch's hints", () => {
  const never = new AbortController().signal;

  it("are handed over once, in order", () => {
    const hints = new ChainHints();
    for (const text of ["a", "b"]) hints.transaction(Buffer.from(text));
    expect(hints.takeTransactions().map(String)).to.deep.equal(["a", "b"]);
    expect(hints.takeTransactions()).to.deep.equal([]);
    expect(hints.takeCheck()).to.equal(false);
  });

  it("wake present and later readers", async () => {
    const hints = new ChainHints();
    const checking = hints.waitForCheck(60_000, never);
    hints.check();
    await checking;
    await hints.waitForCheck(60_000, never);
    expect(hints.takeCheck()).to.equal(true);
    expect(hints.takeCheck()).to.equal(false);
    const listening = hints.waitForTransactions(never);
    hints.transaction(Buffer.from("a"));
    await listening;
    await hints.waitForTransactions(never);
    expect(hints.takeTransactions()).to.have.length(1);
  });

  it("wake no reader of another kind", async () => {
    const hints = new ChainHints();
    const end = new AbortController();
    let listened = false;
    const listening = hints.waitForTransactions(end.signal).then(() => (listened = true));
    hints.check();
    await hints.waitForCheck(60_000, never);
    expect(listened).to.equal(false);
    end.abort();
    await listening;
  });

  for (const [what, raw, kept] of [
    ["too many", Buffer.alloc(100), 20_000],
    ["too large", Buffer.alloc(1024 * 1024), 64],
  ] as const)
    it(`that are ${what} cost no more memory: a scan of the whole mempool is requested instead`, () => {
      const hints = new ChainHints();
      for (let count = 0; count < kept; count += 1) hints.transaction(raw);
      expect([hints.takeCheck(), hints.takeMissed()]).to.deep.equal([false, false]);
      hints.transaction(raw);
      expect([hints.takeCheck(), hints.takeMissed()]).to.deep.equal([true, true]);
      expect(hints.takeMissed()).to.equal(false);
      expect(hints.takeTransactions()).to.have.length(kept);
      hints.transaction(raw);
      expect(hints.takeTransactions()).to.have.length(1);
    });
});
