import { expect } from "chai";
import { fieldOf } from "../../web/dashboard/kit/form/field-of";

describe("the field that shows an error of the API", () => {
  const values = {
    amounts: "5,10 20",
    sources: ["kraken"],
    branding: { color: "", logo: null },
    tiers: [{ upTo: "1" }],
  };

  it("is the one that holds the whole list, where the error is at a part of it", () => {
    expect(fieldOf(values, "amounts.0")).to.equal("amounts");
    expect(fieldOf(values, "sources.3")).to.equal("sources");
    expect(fieldOf(values, "branding.logo.width")).to.equal("branding.logo");
  });

  it("is a part where the form has it, and none where the form knows nothing of it", () => {
    expect(fieldOf(values, "branding.color")).to.equal("branding.color");
    expect(fieldOf(values, "tiers.0.upTo")).to.equal("tiers.0.upTo");
    expect(fieldOf(values, "branding.font")).to.equal(null);
    expect(fieldOf(values, "other.0")).to.equal(null);
  });
});
