import { expect } from "chai";
import { calendarIn } from "../../domain/time-zone";

describe("days of a time zone", () => {
  for (const [what, zone, day, start] of [
    ["behind UTC", "Pacific/Marquesas", "2026-03-01", "2026-03-01T09:30:00Z"],
    ["on which the clock changes at night", "Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z"],
    ["after it", "Europe/Berlin", "2026-03-30", "2026-03-29T22:00:00Z"],
    ["whose midnight comes twice", "America/Havana", "2026-11-01", "2026-11-01T04:00:00Z"],
    ["before whose midnight the last hour comes twice", "Asia/Beirut", "2026-10-25", "2026-10-24T22:00:00Z"],
    ["without a midnight", "Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00Z"],
    ["that a country left out", "Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z"],
    ["after that", "Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z"],
  ] as const)
    it(`a day ${what} begins with the first instant that has its date (${zone} ${day})`, () => {
      const { startOf, endOf, dayOf } = calendarIn(zone);
      const first = startOf(day);
      expect(first.toISOString()).to.equal(start.replace("Z", ".000Z"));
      expect(dayOf(first) >= day && dayOf(new Date(first.getTime() - 1_000)) < day).to.equal(true);
      expect(dayOf(new Date(endOf(day).getTime() - 1)) <= day).to.equal(true);
    });

  it("every instant lies in the day that its date names, in every time zone", () => {
    for (const zone of Intl.supportedValuesOf("timeZone")) {
      const { startOf, endOf, dayOf } = calendarIn(zone);
      for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += 9.3 * 86_400_000) {
        const day = dayOf(new Date(at));
        const inside = startOf(day).getTime() <= at && at < endOf(day).getTime();
        expect(inside, `${zone} ${new Date(at).toISOString()}`).to.equal(true);
      }
    }
  });
});
