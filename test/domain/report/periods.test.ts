import { expect } from "chai";
import { DomainError } from "../../../domain/errors";
import { periodsOf, type ReportRange } from "../../../domain/report/periods";

describe("the periods of a report", () => {
  const RANGE: ReportRange = { from: "2026-02-26", to: "2026-03-03", by: "day", timeZone: "Europe/Berlin" };
  const of = (range: Partial<ReportRange>) =>
    periodsOf({ ...RANGE, ...range }).map(({ from, to }) => `${from.slice(5)} ${to.slice(5)}`);

  it("are days, weeks from Monday or months, as far as they are in the range", () => {
    expect(of({ to: "2026-02-27" })).to.deep.equal(["02-26 02-26", "02-27 02-27"]);
    expect(of({ by: "week" })).to.deep.equal(["02-26 03-01", "03-02 03-03"]);
    expect(of({ by: "month" })).to.deep.equal(["02-26 02-28", "03-01 03-03"]);
    expect(of({ by: "month", from: "2028-02-01", to: "2028-02-29" })).to.deep.equal(["02-01 02-29"]);
  });

  const refused: [Partial<ReportRange>, string][] = [
    [{ to: "2026-02-25" }, "/to"],
    [{ to: "2027-06-01" }, "/to"],
    [{ timeZone: "Europe/Atlantis" }, "/timeZone"],
    [{ timeZone: "+02:00" }, "/timeZone"],
    [{ timeZone: "" }, "/timeZone"],
  ];
  for (const [range, pointer] of refused)
    it(`are refused at ${pointer} for ${JSON.stringify(range)}`, () => {
      expect(() => of(range))
        .to.throw(DomainError)
        .with.nested.property("errors[0].pointer", pointer);
    });
});
