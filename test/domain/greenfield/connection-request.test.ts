import { expect } from "chai";
import { DomainError } from "../../../domain/errors";
import {
  parseConnectionRequest,
  redirectOrigin,
  type ConnectionRequest,
} from "../../../domain/greenfield/connection-request";
import { policiesInStore, POLICIES, SERVED_POLICIES } from "../../../domain/greenfield/permissions";

const STORE = "Hf9GvFK2dHJehm9J8A6kYfbc1ruc5jEZBKEr9r7jsrLo";
const FOUR = [
  "btcpay.store.canviewinvoices",
  "btcpay.store.cancreateinvoice",
  "btcpay.store.canviewstoresettings",
  "btcpay.store.canmodifyinvoices",
];
const WEBHOOKS = "btcpay.store.webhooks.canmodifywebhooks";
const REFUNDS = "btcpay.store.cancreatenonapprovedpullpayments";

const asked = (more: Partial<ConnectionRequest> = {}): ConnectionRequest => ({ permissions: FOUR, ...more });
/** What the page's form sends for a link that asks for these. */
const sent = (permissions: readonly string[]): string[] =>
  policiesInStore(parseConnectionRequest({ permissions }, "mainnet").given, STORE);
const refusal = (request: ConnectionRequest, network: "mainnet" | "regtest" = "mainnet"): unknown => {
  try {
    parseConnectionRequest(request, network);
  } catch (error) {
    if (error instanceof DomainError) return error.errors;
    throw error;
  }
  return null;
};

describe("a plugin's request for a key: the permissions that it checks", () => {
  const withoutStore = (permissions: readonly string[]) => permissions.map((one) => one.split(":")[0] ?? "");
  const stores = (permissions: readonly string[]) => new Set(permissions.map((one) => one.split(":")[1]));

  it("WooCommerce: without the optional ones exactly four, of one store", () => {
    const given = sent([...FOUR, REFUNDS, WEBHOOKS]);
    const needed = withoutStore(given).filter((one) => ![REFUNDS, WEBHOOKS].includes(one));
    expect(new Set(needed)).to.deep.equal(new Set(FOUR));
    expect(needed).to.have.length(4);
    expect(stores(given)).to.deep.equal(new Set([STORE]));
    // It then hides its refunds.
    expect(withoutStore(given)).not.to.include(REFUNDS);
    expect(withoutStore(given)).to.include(WEBHOOKS);
  });

  it("Magento 2: the sorted list is identical to its five, each with the store", () => {
    const five = [...FOUR, WEBHOOKS];
    const wanted = five.map((one) => `${one}:${STORE}`).sort();
    expect(sent(five).sort()).to.deep.equal(wanted);
  });

  it("PrestaShop: all six", () => {
    const six = [...FOUR, WEBHOOKS, "btcpay.store.canmodifystoresettings"];
    expect(withoutStore(sent(six)).sort()).to.deep.equal([...six].sort());
  });

  it("Shopware 6: its four, and the store behind the first", () => {
    const four = [FOUR[1], FOUR[0], WEBHOOKS, FOUR[2]].map(String);
    expect(withoutStore(sent(four)).sort()).to.deep.equal([...four].sort());
    expect(sent(four)[0]?.split(":")[1]).to.equal(STORE);
  });

  it("gives no more than was asked for, each once, and names the rest", () => {
    const { given, notGiven } = parseConnectionRequest(
      asked({ permissions: [FOUR[0] ?? "", `${FOUR[0]}:another-store`, REFUNDS, "unrestricted", REFUNDS] }),
      "mainnet",
    );
    expect(given).to.deep.equal([FOUR[0]]);
    expect(notGiven).to.deep.equal([REFUNDS, "unrestricted"]);
  });

  it("names nothing that is no name of a permission", () => {
    for (const text of ["\u202epay", "It is safe; press Send.", "a\nb", "", "x".repeat(101), "<b>", "é"])
      expect(
        parseConnectionRequest(asked({ permissions: [FOUR[0] ?? "", REFUNDS, text] }), "mainnet").notGiven,
      ).to.deep.equal([REFUNDS]);
  });

  it("refuses a request for nothing that gives access to anything", () => {
    for (const permissions of [[], [""], [REFUNDS], ["btcpay.store.canmodifystoresettings"], ["constructor"]])
      expect(refusal(asked({ permissions })), permissions.join()).to.deep.equal([
        {
          pointer: "/permissions",
          message: `Asks for no permission that this service has. It has ${SERVED_POLICIES.join(", ")}.`,
        },
      ]);
    expect(refusal(asked({ permissions: POLICIES }))).to.equal(null);
  });
});

describe("a plugin's request for a key: what it claims", () => {
  const nameOf = (applicationName?: string) =>
    parseConnectionRequest(asked(applicationName === undefined ? {} : { applicationName }), "mainnet").name;

  it("has its name on one line, cut and without characters that are invisible or turn the text", () => {
    expect(nameOf("Olga's tea & more")).to.equal("Olga's tea & more");
    expect(nameOf(" Tea\r\n\u202eshop\u0000 \u2028")).to.equal("Tea shop");
    expect(nameOf("x".repeat(1_000))).to.equal("x".repeat(100));
    expect(nameOf(`${"x".repeat(99)}🫖`)).to.equal("x".repeat(99));
    expect(nameOf("Tea \u2764\ufe0f")).to.equal("Tea \u2764\ufe0f");
    for (const none of [undefined, "", " \n\u200b", "\u3164", "\u115f \u2800", "\u034f\ufe0f"])
      expect(nameOf(none)).to.equal("Shop plugin");
  });

  const accepted: [string, string][] = [
    ["https://shop.example", "https://shop.example"],
    ["https://shop.example:8443/wc-api/BTCPay?secret=a%2Bb#x", "https://shop.example:8443"],
    ["HTTPS://SHOP.example/admin", "https://shop.example"],
    ["https://täglich-tee.example/", "https://xn--tglich-tee-q5a.example"],
    ["https://192.0.2.7/x", "https://192.0.2.7"],
    ["http://localhost:8080/x", "http://localhost:8080"],
    ["http://127.0.0.1/x", "http://127.0.0.1"],
  ];
  for (const [url, origin] of accepted)
    it(`accepts the redirect ${url}`, () => {
      const { redirect } = parseConnectionRequest(asked({ redirect: url }), "mainnet");
      expect(redirect).to.deep.equal({ url: new URL(url).href, origin });
      expect(redirectOrigin(url, "mainnet")).to.equal(origin);
    });

  it("needs no redirect", () => expect(parseConnectionRequest(asked(), "mainnet").redirect).to.equal(null));

  const URL_NEEDED = "Must be a URL of at most 2000 characters that starts with https:// or http://.";
  const refused: [string, string][] = [
    ["", URL_NEEDED],
    ["shop.example", URL_NEEDED],
    ["//shop.example", URL_NEEDED],
    ["javascript:alert(1)", URL_NEEDED],
    ["data:text/html,x", URL_NEEDED],
    ["ftp://shop.example/", URL_NEEDED],
    ["https:shop.example", URL_NEEDED],
    ["https://\\shop.example", URL_NEEDED],
    ["https://shop.example/\n", URL_NEEDED],
    [" https://shop.example/", URL_NEEDED],
    ["https://", URL_NEEDED],
    [`https://shop.example/${"x".repeat(2_000)}`, URL_NEEDED],
    ["https://user@shop.example/", "Must not contain a user name or a password."],
    ["https://:pw@shop.example/", "Must not contain a user name or a password."],
    ["https://[::1]/", "Must have a host name or an IPv4 address."],
    ["https://*.shop.example/", "Must have a host name or an IPv4 address."],
    ["https://shop.example;x/", "Must have a host name or an IPv4 address."],
    ["http://shop.example/", "Must begin with https://: on mainnet http:// is for this computer only."],
  ];
  for (const [url, message] of refused)
    it(`refuses the redirect ${JSON.stringify(url.slice(0, 60))}`, () => {
      expect(refusal(asked({ redirect: url }))).to.deep.equal([{ pointer: "/redirect", message }]);
      expect(redirectOrigin(url, "mainnet")).to.equal(null);
    });

  it("accepts a redirect by http on test networks", () => {
    expect(refusal(asked({ redirect: "http://shop.example/" }), "regtest")).to.equal(null);
    expect(redirectOrigin("http://shop.example/", "regtest")).to.equal("http://shop.example");
  });
});
