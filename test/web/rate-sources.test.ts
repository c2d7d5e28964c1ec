import { expect } from "chai";
import { RATE_SOURCES as KNOWN } from "../../domain/money/rate-sources";
import { RATE_SOURCES } from "../../web/dashboard/pages/general-settings/rate-sources";

describe("the exchange-rate sources of the settings", () => {
  it("are those that the server knows", () => {
    expect(Object.keys(RATE_SOURCES)).to.have.members([...KNOWN]);
  });
});
