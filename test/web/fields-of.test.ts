import { expect } from "chai";
import { fieldsOf } from "../../web/dashboard/kit/form/fields-of";

describe("the fields that show an error of the API", () => {
  const values = {
    amounts: "5,10 20",
    sources: ["kraken"],
    branding: { color: "", logo: null },
    tiers: [{ upTo: "1" }],
  };

  it("are a list's part and the whole, or the one that holds the whole list", () => {
    expect(fieldsOf(values, "sources.3")).to.deep.equal(["sources", "sources.3"]);
    expect(fieldsOf(values, "amounts.0")).to.deep.equal(["amounts"]);
    expect(fieldsOf(values, "branding.logo.width")).to.deep.equal(["branding.logo"]);
  });

  it("are a part where the form has it, and none where the form knows nothing of it", () => {
    expect(fieldsOf(values, "branding.color")).to.deep.equal(["branding.color"]);
    expect(fieldsOf(values, "tiers.0.upTo")).to.deep.equal(["tiers.0.upTo"]);
    expect(fieldsOf(values, "branding.font")).to.deep.equal([]);
    expect(fieldsOf(values, "other.0")).to.deep.equal([]);
  });
});
