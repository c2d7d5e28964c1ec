import { expect } from "chai";
import fc from "fast-check";
import {
  formatAmount,
  formatBtc,
  formatSats,
  groupDigits,
} from "../../web/dashboard/kit/format/format-money";
import { makerOf } from "../../web/dashboard/kit/format/maker";
import { formatDuration, formatRelative } from "../../web/dashboard/kit/format/format-time";
import { deviceOf } from "../../web/dashboard/pages/account/device";

const NOW = Date.parse("2026-03-01T12:00:00.000Z");
const before = (ms: number): string => new Date(NOW - ms).toISOString();

describe("formats of the pages", () => {
  it("name who made a key or a webhook, and say that nobody is known", () => {
    expect(makerOf({ createdByUserId: "usr_1", createdByEmail: "ann@shop.example" })).to.equal(
      "ann@shop.example",
    );
    expect(makerOf({ createdByUserId: "usr_1", createdByEmail: null })).to.equal("usr_1");
    expect(makerOf({ createdByUserId: null, createdByEmail: null })).to.equal("API key or command line");
  });

  it("group satoshi as the digits of an amount in fiat beside them", () => {
    const fiat = formatAmount("1234567", "JPY").replace(/[^\p{Nd}.,'’\u202f]/gu, "");
    expect(formatSats(1234567)).to.equal(`${fiat} sats`);
  });

  it("lose no digit, whatever the number", () => {
    const sats = fc.integer({ min: 0, max: 2_100_000_000_000_000 });
    fc.assert(
      fc.property(
        sats,
        (value) => groupDigits(value).replace(/\P{Nd}/gu, "").length === String(value).length,
      ),
    );
    fc.assert(
      fc.property(sats, (value) => BigInt(formatBtc(value).replace(/[^0-9]/g, "")) === BigInt(value)),
      { examples: [[2_100_000_000_000_000], [1], [2_099_999_999_999_999]] },
    );
  });

  it("have all eight decimals of a bitcoin", () => {
    expect(formatBtc(25_000)).to.equal("0.00025000 BTC");
    expect(formatBtc(2_100_000_000_000_000)).to.equal("21000000.00000000 BTC");
  });

  it("write prices in their own unit, and a currency that the browser does not know unchanged", () => {
    expect(formatAmount("25000", "SATS")).to.equal(formatSats(25_000));
    expect(formatAmount("0.001", "BTC")).to.equal("0.001 BTC");
    expect(formatAmount("12.5", "EUR"))
      .to.match(/\p{Nd}{2}\p{P}\p{Nd}{2}/u) // in the digits of whoever runs this
      .and.match(/€|EUR/);
    expect(formatAmount("1", "no currency")).to.equal("1 no currency");
  });

  it("say how long ago, at the edges too", () => {
    expect(formatRelative(before(0), NOW)).to.equal("just now");
    expect(formatRelative(before(59_999), NOW)).to.equal("just now");
    expect(formatRelative(before(60_000), NOW)).to.match(/^1 min/);
    expect(formatRelative(before(3_599_999), NOW)).to.match(/^59 min/);
    expect(formatRelative(before(86_400_000), NOW)).to.equal("yesterday");
    expect(formatRelative(before(-7_200_000), NOW)).to.match(/^in 2 h/);
  });

  it("give durations in a unit that is quick to read", () => {
    expect(formatDuration(999)).to.equal("999 ms");
    expect(formatDuration(1000)).to.equal("1.0 s");
  });

  it("name a session's device", () => {
    expect(deviceOf("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")).to.equal(
      "Firefox on Linux",
    );
    expect(
      deviceOf("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1"),
    ).to.equal("Safari on iOS");
    expect(deviceOf("Mozilla/5.0 (Windows NT 10.0) Chrome/150.0 Safari/537.36 Edg/150.0")).to.equal(
      "Edge on Windows",
    );
    expect(deviceOf("curl/8.5.0")).to.equal("curl/8.5.0");
    expect(deviceOf("")).to.equal("Unknown");
  });
});
