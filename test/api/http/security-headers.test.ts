import { expect } from "chai";
import { startApi, type TestApi } from "../server";

const PATHS = [
  "/",
  "/docs",
  "/openapi.json",
  "/docs/start.js",
  "/api/v1/health",
  "/api/v1/none",
  "/api/dashboard/session",
  "/i/inv_none",
];

describe("API: the security headers of every answer", () => {
  let api: TestApi;
  let secure: TestApi;
  before(async () => {
    api = await startApi();
    secure = await startApi({ db: api.db, parts: { publicUrl: "https://pay.example" } });
  });
  after(async () => {
    await secure.listening.close();
    await api.stop();
  });

  for (const path of PATHS)
    it(`are on ${path}`, async () => {
      const { headers } = await fetch(api.base + path);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).to.include("default-src 'none'").and.to.include("frame-ancestors 'none'");
      expect(policy).not.to.match(/unsafe|\*/);
      expect(Object.fromEntries(headers)).to.include({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "x-frame-options": "DENY",
      });
    });

  it("require https of browsers only when PUBLIC_URL is https", async () => {
    for (const path of PATHS) {
      expect((await fetch(api.base + path)).headers.get("strict-transport-security")).to.equal(null);
      const { headers } = await fetch(secure.base + path);
      expect(headers.get("strict-transport-security")).to.equal("max-age=31536000");
    }
  });

  it("require it of all subdomains when the operator sets it", async () => {
    const parts = { publicUrl: "https://pay.example", hstsSubdomains: true };
    const all = await startApi({ db: api.db, parts });
    const { headers } = await fetch(all.base + "/");
    expect(headers.get("strict-transport-security")).to.equal("max-age=31536000; includeSubDomains");
    await all.listening.close();
  });
});
