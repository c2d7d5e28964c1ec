import { expect } from "chai";
import { DomainError } from "../../domain/errors";
import { originOf, parseShopOrigins } from "../../domain/shop-origins";

function pointerOf(texts: string[], network: "mainnet" | "regtest"): string {
  try {
    parseShopOrigins(texts, network);
  } catch (error) {
    if (error instanceof DomainError) return error.errors[0]?.pointer ?? "";
    throw error;
  }
  throw new Error("was taken");
}

describe("origins of shops", () => {
  for (const [text, origin] of [
    ["https://shop.example", "https://shop.example"],
    ["https://shop.example/", "https://shop.example"],
    ["HTTPS://Shop.Example:443", "https://shop.example"],
    ["https://shop.example:8443", "https://shop.example:8443"],
    ["http://localhost:3000", "http://localhost:3000"],
    ["https://tee-laden.例え.jp", "https://tee-laden.xn--r8jz45g.jp"],
    ["https://192.0.2.7", "https://192.0.2.7"],
  ] as const)
    it(`are written as browsers do: ${text}`, () => expect(originOf(text)).to.equal(origin));

  for (const text of [
    "",
    "shop.example",
    "https://",
    "https:shop.example",
    "https:/\\shop.example",
    "//shop.example",
    "https://*.shop.example",
    "https://*",
    "*",
    "null",
    "https://shop.example/pay",
    "https://shop.example?",
    "https://shop.example#x",
    "https://user@shop.example",
    "https://shop.example;script-src",
    "https://shop.example,x",
    "https://shop'example",
    "https://shop.example https://other.example",
    "https://shop.exam\nple",
    "https://[::1]",
    "https://shop.example.",
    "https://shop.example:99999",
    "ftp://shop.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "'self'",
  ])
    it(`are refused: ${JSON.stringify(text)}`, () => {
      expect(originOf(text)).to.equal(null);
      expect(pointerOf(["https://shop.example", text], "regtest")).to.equal("/checkoutOrigins/1");
    });

  it("are https on mainnet, except on localhost", () => {
    const local = ["http://localhost:3000", "http://shop.localhost", "http://127.0.0.1:8080"];
    expect(parseShopOrigins(local, "mainnet")).to.deep.equal(local);
    for (const text of [
      "http://shop.example",
      "http://127.0.0.1.example",
      "http://notlocalhost",
      "http://10.0.0.1",
    ]) {
      expect(pointerOf([text], "mainnet")).to.equal("/checkoutOrigins/0");
      expect(parseShopOrigins([text], "regtest")).to.deep.equal([text]);
    }
  });

  it("are named once each", () => {
    expect(pointerOf(["https://a.example", "https://b.example", "https://A.example/"], "mainnet")).to.equal(
      "/checkoutOrigins/2",
    );
  });
});
