import { expect } from "chai";
import { dueSummary } from "../../../domain/account/notice";

describe("the summary of a store", () => {
  const due = (summary: "daily" | "weekly", summarisedTo: string, now: string, timeZone = "Europe/Berlin") =>
    dueSummary({ summary, summarisedTo }, new Date(now), timeZone);

  it("is due at seven in the store's time zone, in summer and winter", () => {
    expect(due("daily", "2026-03-27", "2026-03-29T04:59:00Z")).to.equal(null);
    // Clocks are set forward in this night: seven is an hour earlier.
    expect(due("daily", "2026-03-27", "2026-03-29T05:00:00Z")).to.deep.equal({
      from: "2026-03-28",
      to: "2026-03-28",
    });
    expect(due("daily", "2026-03-26", "2026-03-28T05:59:00Z")).to.equal(null);
    expect(due("daily", "2026-03-28", "2026-03-29T05:00:00Z")).to.equal(null);
    expect(due("daily", "2026-03-27", "2026-03-28T20:00:00Z", "Pacific/Kiritimati")).to.deep.equal({
      from: "2026-03-28",
      to: "2026-03-28",
    });
  });

  it("covers the week to Sunday, from the first day it was chosen", () => {
    expect(due("weekly", "2026-03-03", "2026-03-08T22:00:00Z")).to.equal(null); // Sunday
    expect(due("weekly", "2026-03-03", "2026-03-09T06:00:00Z")).to.deep.equal({
      from: "2026-03-04",
      to: "2026-03-08",
    });
    expect(due("weekly", "2026-03-08", "2026-03-11T12:00:00Z")).to.equal(null);
  });
});
