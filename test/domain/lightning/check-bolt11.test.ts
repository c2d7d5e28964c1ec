import { expect } from "chai";
import { clockOf } from "../../../domain/lightning/check-bolt11";
import type { DecodedBolt11 } from "../../../domain/lightning/decode-bolt11";

describe("the clock of the node that made a BOLT11", () => {
  const from = new Date("2026-03-01T12:00:00Z");
  const to = new Date("2026-03-01T12:00:05Z");
  const EXPIRY_SECONDS = 900;
  const clock = (offSeconds: number) => {
    const timestampSeconds = from.getTime() / 1_000 + offSeconds;
    return clockOf({ timestampSeconds, expirySeconds: EXPIRY_SECONDS } as DecodedBolt11, { from, to });
  };
  const usable = true;

  it("is right within a minute of the time in which it was made", () => {
    for (const off of [-60, 0, 5, 65]) expect(clock(off), String(off)).to.deep.equal({ right: true, usable });
  });

  it("is wrong beyond that, and unusable beyond half of the BOLT11's time", () => {
    for (const off of [-61, -450, 66, 455])
      expect(clock(off), String(off)).to.deep.equal({ right: false, usable });
    for (const off of [-451, 456, -20_000_000])
      expect(clock(off), String(off)).to.deep.equal({ right: false, usable: false });
  });

  it("is not called wrong by one whose time is up, which nobody can use", () => {
    const made = { timestampSeconds: from.getTime() / 1_000, expirySeconds: EXPIRY_SECONDS } as DecodedBolt11;
    const after = (seconds: number) =>
      clockOf(made, { from, to: new Date(from.getTime() + seconds * 1_000) });
    expect(after(EXPIRY_SECONDS - 1)).to.deep.equal({ right: true, usable });
    expect(after(EXPIRY_SECONDS)).to.deep.equal({ right: true, usable: false });
  });
});
