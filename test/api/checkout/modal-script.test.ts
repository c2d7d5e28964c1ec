import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { chooseLanguage, LANGUAGES } from "../../../domain/languages/language";
import { readFiles, type BuiltFile } from "../../../api/http/built-files";
import { builtBtcpayModal, builtModal } from "../../support/built-checkout";
import { wordsFor } from "../../../web/modal/texts";
import { startApi, type TestApi } from "../server";

const LIMIT_BYTES = 5_000;

for (const { address, part, built } of [
  { address: "/modal.js", part: "modal", built: builtModal },
  { address: "/modal/btcpay.js", part: "btcpayModal", built: builtBtcpayModal },
] as const)
  scriptTests(address, part, built);

function scriptTests(address: string, part: "modal" | "btcpayModal", built: () => Promise<BuiltFile>): void {
  describe(address, function () {
    this.timeout(60_000);
    let script: BuiltFile;
    let api: TestApi;
    before(async () => {
      script = await built();
      api = await startApi({ parts: { [part]: script } });
    });
    after(() => api.stop());

    const get = (headers: Record<string, string> = {}) => fetch(`${api.base}${address}`, { headers });

    it("has a stable address, for any shop's pages", async () => {
      const answer = await get();
      expect(answer.status).to.equal(200);
      expect(Object.fromEntries(answer.headers)).to.include({
        "content-type": "text/javascript; charset=utf-8",
        "cache-control": "public, max-age=600",
        "cross-origin-resource-policy": "cross-origin",
        vary: "Accept-Encoding",
      });
      expect(answer.headers.get("access-control-allow-origin")).to.equal(null);
      expect(await answer.text()).to.equal(script.content.toString());
    });

    it("is less than 5 kB, compressed", () => {
      expect(gzipSync(script.content).length).to.be.within(500, LIMIT_BYTES);
    });

    it("is missing when it is not built", async () => {
      expect(readFiles("/nowhere").size).to.equal(0);
      const bare = await startApi({ db: api.db });
      try {
        expect((await fetch(`${bare.base}${address}`)).status).to.equal(404);
      } finally {
        await bare.listening.close();
      }
    });
  });
}

describe("the dialog", () => {
  it("has texts in each language of the page, from the same source", () => {
    for (const { code, tag } of LANGUAGES) {
      const { direction } = chooseLanguage([code]);
      expect(wordsFor(["xx", undefined, tag.toUpperCase()]), code).to.include({ language: code, direction });
    }
    expect(new Set(LANGUAGES.map(({ code }) => wordsFor([code]).open)).size).to.equal(LANGUAGES.length);
    expect(wordsFor(["constructor", "xx"])).to.include({ language: "en", direction: "ltr" });
  });
});
