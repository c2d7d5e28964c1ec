import { expect } from "chai";
import { send, startApi } from "../api/server";

const { problemsOf } = require("../../scripts/npm/lint-openapi.cjs") as {
  problemsOf: (source: string) => Promise<{ message: string }[]>;
};

interface Description {
  openapi: string;
  info: Record<string, unknown>;
  paths: Record<string, object>;
}

describe("the linter of the API's description", function () {
  this.timeout(60_000);
  let text: string;
  before(async () => {
    const api = await startApi();
    ({ text } = await send(api.base, "GET", "/openapi.json"));
    await api.stop();
  });

  const messages = async (damage: (description: Description) => void): Promise<string> => {
    const description = JSON.parse(text) as Description;
    expect(description.openapi).to.match(/^3\.1\./);
    damage(description);
    return (await problemsOf(JSON.stringify(description))).map(({ message }) => message).join("\n");
  };

  it("accepts it as it is", async () => {
    expect(await messages(() => undefined)).to.equal("");
  });

  for (const [what, damage, named] of [
    ["no title", ({ info }) => delete info["title"], "title"],
    [
      "a parameter of no type",
      ({ paths }) => (paths["/server/info"] = { get: { parameters: [{ name: "x", in: "query" }] } }),
      "schema",
    ],
    [
      "a reference to nothing",
      ({ paths }) => (paths["/server/info"] = { get: { responses: { 200: { $ref: "#/none" } } } }),
      "$ref",
    ],
  ] as [string, (description: Description) => void, string][])
    it(`refuses it with ${what}`, async () => {
      expect(await messages(damage)).to.include(named);
    });
});
