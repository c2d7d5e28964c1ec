import bs58check from "bs58check";
import { expect } from "chai";
import { acceptRows } from "../../../commands/server/authentic-rows";
import { authenticate } from "../../../commands/stores/api-key";
import { switchLightningOff, switchLightningOn } from "../../../commands/lightning/switch-lightning";
import { Store } from "../../../entities/store";
import { buildPayment, newXpub } from "../../support/factories";
import { startApi, TPUB, type TestApi, type TestStore, expectRefused } from "../server";

const TPRV =
  "tprv8ZgxMBicQKsPd7Uf69XL1XwhmjHopUGep8GuEiJDZmbQz6o58LninorQAfcKZWARbtRtfnLcJ5MQ2AtHcQJCCRUcMRvmDUjyEmNUWwx8UbK";
const MAINNET_XPUB =
  "xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V";
/** BIP 84's account key with a test network's version bytes, its fingerprint, and the key hash of its first address. */
const VECTOR = bs58check.encode(
  Buffer.concat([Buffer.from("043587cf", "hex"), bs58check.decode(MAINNET_XPUB).subarray(4)]),
);
const FINGERPRINT = "fd13aac9";
const FIRST_ADDRESS = "bcrt1qcr8te4kr609gcawutmrza0j4xv80jy8zeqchgx";

describe("API: payment methods", () => {
  let api: TestApi;
  let shop: TestStore;
  before(async () => (api = await startApi()));
  beforeEach(async () => {
    shop = await api.store();
    // Else the dashboard alone changes it: wallet-changes-by-key.test.ts.
    await api.db.manager.update(Store, shop.storeId, { walletChangesByKey: true });
    await acceptRows(api.ctx);
  });
  after(() => api.stop());

  const call = (method: string, rest = "", body?: unknown) =>
    api.call(method, `/stores/${shop.storeId}/payment-methods${rest}`, { key: shop.apiKey, body });
  const alerts = async () =>
    (await api.call("GET", `/stores/${shop.storeId}/alerts`, { key: shop.apiKey })).json.data.map(
      ({ kind, severity, message }) => ({ kind, severity, message: String(message) }),
    );
  const audit = () =>
    api.db.query<{ action: string; actor_id: string; text: string }[]>(
      `SELECT action, actor_id, details::text AS text FROM audit_log WHERE store_id = $1 AND action LIKE 'wallet.%' ORDER BY at`,
      [shop.storeId],
    );
  const invoice = () =>
    api.call("POST", `/stores/${shop.storeId}/invoices`, {
      key: shop.apiKey,
      body: { amount: "5000", currency: "SATS" },
    });

  it("show the key's fingerprint and the next index, never the key", async () => {
    await call("PUT", "/BTC-CHAIN", { xpub: VECTOR });
    const { createdAt, ...wallet } = (await call("GET", "/BTC-CHAIN")).json;
    expect(wallet).to.deep.include({ type: "BTC-CHAIN", scriptType: "wpkh", fingerprint: FINGERPRINT });
    const before = Number(wallet["nextIndex"]);
    await invoice();
    const list = await call("GET");
    expect(list.json).to.deep.equal({
      data: [
        { ...wallet, nextIndex: before + 1, unpaidInARow: Number(wallet["unpaidInARow"]) + 1, createdAt },
      ],
      nextCursor: null,
    });
    expect(list.text).not.to.include(VECTOR.slice(10, 30));
  });

  it("show how far the wallet was paid", async () => {
    await call("PUT", "/BTC-CHAIN", { xpub: newXpub(), startIndex: 5 });
    const told = async () => {
      const { nextIndex, highestPaidIndex, unpaidInARow } = (await call("GET", "/BTC-CHAIN")).json;
      return [nextIndex, highestPaidIndex, unpaidInARow];
    };
    expect(await told()).to.deep.equal([5, null, 0]);
    const { invoiceId } = (await invoice()).json;
    expect(await told()).to.deep.equal([6, null, 1]);
    await buildPayment(api.ctx, invoiceId);
    expect(await told()).to.deep.equal([6, 5, 0]);
    await invoice();
    await invoice();
    expect(await told()).to.deep.equal([8, 5, 2]);
  });

  it("change: the next invoice pays to the new key, open ones keep their address, and the owners are alerted", async () => {
    const open = (await invoice()).json;
    const xpub = newXpub();
    const changed = await call("PUT", "/BTC-CHAIN", { xpub, scriptType: "tr", startIndex: 7 });
    expect(changed.status, changed.text).to.equal(200);
    expect(changed.json).to.deep.include({ type: "BTC-CHAIN", scriptType: "tr", nextIndex: 7 });
    const preview = await call("POST", "/BTC-CHAIN/preview", {
      xpub,
      scriptType: "tr",
      startIndex: 7,
      count: 1,
    });
    const [first] = preview.json["addresses"] as [{ address: string }];
    expect((await invoice()).json.paymentMethods[0].destination).to.equal(first.address);
    const again = await api.call("GET", `/stores/${shop.storeId}/invoices/${open.invoiceId}`, {
      key: shop.apiKey,
    });
    expect(again.json.paymentMethods).to.deep.equal(open.paymentMethods);

    const [alert, ...others] = await alerts();
    expect(others).to.deep.equal([]);
    expect(alert).to.include({ kind: "wallet-changed", severity: "critical" });
    expect(alert?.message).to.include("by an API key");
    const [entry] = await audit();
    const caller = await authenticate(api.ctx, shop.apiKey);
    expect(entry).to.include({ action: "wallet.changed", actor_id: caller?.keyId });
    for (const text of [entry?.text, alert?.message]) expect(text).not.to.include(xpub.slice(10, 30));
  });

  it("raise an alert at every change, also while an earlier one is open, and not without a change", async () => {
    const xpub = newXpub();
    await call("PUT", "/BTC-CHAIN", { xpub });
    await call("PUT", "/BTC-CHAIN", { xpub });
    expect(await alerts()).to.have.length(1);
    expect(await audit()).to.have.length(1);
    await call("PUT", "/BTC-CHAIN", { xpub, startIndex: 50 });
    expect(await alerts()).to.have.length(2);
    expect(await audit()).to.have.length(2);
    await call("PUT", "/BTC-CHAIN", { xpub: newXpub() });
    expect((await call("DELETE", "/BTC-CHAIN")).status).to.equal(204);
    expect(await alerts()).to.have.length(4);
    expect((await audit()).map(({ action }) => action)).to.deep.equal([
      "wallet.changed",
      "wallet.changed",
      "wallet.changed",
      "wallet.removed",
    ]);
  });

  it("never give an index twice: a start index only raises, and a known key continues at its index", async () => {
    const xpub = newXpub();
    await call("PUT", "/BTC-CHAIN", { xpub, startIndex: 20 });
    await invoice();
    expect((await call("PUT", "/BTC-CHAIN", { xpub, startIndex: 3 })).json["nextIndex"]).to.equal(21);
    await call("DELETE", "/BTC-CHAIN");
    expect((await call("PUT", "/BTC-CHAIN", { descriptor: `wpkh(${xpub}/0/*)` })).json["nextIndex"]).to.equal(
      21,
    );
  });

  it("are removed: gone from the list, and an invoice has no payment method", async () => {
    expect((await call("DELETE", "/BTC-CHAIN")).status).to.equal(204);
    expect((await call("GET")).json.data).to.deep.equal([]);
    expectRefused(await call("GET", "/BTC-CHAIN"), 404, "payment-method-not-found");
    expectRefused(await call("DELETE", "/BTC-CHAIN"), 404, "payment-method-not-found");
    expectRefused(await invoice(), 422, "validation-failed", "/paymentMethods");
  });

  it("are one wallet after two changes at once, with an alert each", async () => {
    const answers = await Promise.all([1, 2].map(() => call("PUT", "/BTC-CHAIN", { xpub: newXpub() })));
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
    const { json } = await call("GET", "/BTC-CHAIN");
    expect(answers.map((answer) => answer.json["fingerprint"])).to.include(json["fingerprint"]);
    expect(await alerts()).to.have.length(2);
  });

  it("preview ten addresses, or as many as requested, and write nothing", async () => {
    const kept = () =>
      api.db.query<object[]>("SELECT (SELECT count(*) FROM wallets), (SELECT count(*) FROM audit_log)");
    const before = await kept();
    const preview = await call("POST", "/BTC-CHAIN/preview", { xpub: VECTOR });
    expect(preview.status, preview.text).to.equal(200);
    const addresses = preview.json["addresses"] as object[];
    expect(preview.json["scriptType"]).to.equal("wpkh");
    expect(addresses).to.have.length(10);
    expect(addresses[0]).to.deep.equal({ index: 0, path: "0/0", address: FIRST_ADDRESS });
    const end = await call("POST", "/BTC-CHAIN/preview", { xpub: TPUB, startIndex: 0x7fff_ffff, count: 3 });
    expect((end.json["addresses"] as { index: number }[]).map(({ index }) => index)).to.deep.equal([
      0x7fff_ffff,
    ]);
    expect(await kept()).to.deep.equal(before);
  });

  const wrong: [string, object, string][] = [
    ["nothing", {}, "/xpub"],
    ["both forms", { xpub: TPUB, descriptor: `wpkh(${TPUB})` }, "/descriptor"],
    ["a script type beside a descriptor", { descriptor: `wpkh(${TPUB})`, scriptType: "tr" }, "/scriptType"],
    ["a private key", { xpub: TPRV }, "/xpub"],
  ];
  for (const [name, body, pointer] of wrong)
    it(`are refused with ${name}: 422 that points at it and repeats no key`, async () => {
      const before = (await call("GET", "/BTC-CHAIN")).json;
      for (const answer of [
        await call("PUT", "/BTC-CHAIN", body),
        await call("POST", "/BTC-CHAIN/preview", body),
      ]) {
        expectRefused(answer, 422, "validation-failed", pointer);
        for (const key of [TPUB, TPRV]) expect(answer.text).not.to.include(key.slice(4, 40));
      }
      expect((await call("GET", "/BTC-CHAIN")).json).to.deep.equal(before);
      expect(await alerts()).to.deep.equal([]);
    });

  it("refuse a wallet that another store uses: 409 that names no store", async () => {
    const xpub = newXpub();
    const other = await api.store();
    await api.db.manager.update(Store, other.storeId, { walletChangesByKey: true });
    await acceptRows(api.ctx);
    await api.call("PUT", `/stores/${other.storeId}/payment-methods/BTC-CHAIN`, {
      key: other.apiKey,
      body: { xpub },
    });
    const answer = await call("PUT", "/BTC-CHAIN", { xpub });
    expectRefused(answer, 409, "wallet-in-use");
    expect(answer.text).not.to.include(other.storeId);
    expect(await alerts()).to.deep.equal([]);
  });

  it("preview 20 addresses for a store one at a time", async () => {
    const body = { xpub: TPUB, scriptType: "tr", count: 20 };
    const all = Array.from({ length: 6 }, () => call("POST", "/BTC-CHAIN/preview", body));
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses).to.include(200).and.to.include(429);
  });

  it("of the server's Lightning belong to its admin: 403 admin-only by key", async () => {
    expectRefused(await call("PUT", "/BTC-LN", { node: "server" }), 403, "admin-only");
    expectRefused(await call("DELETE", "/BTC-LN"), 403, "admin-only");
    expectRefused(await call("GET", "/BTC-LN"), 404, "payment-method-not-found");
  });

  it("have BTC-LN once an admin has switched it on, and both changes are in the audit log", async () => {
    await switchLightningOn(api.ctx, shop.storeId);
    await switchLightningOn(api.ctx, shop.storeId);
    const { status, json } = await call("GET", "/BTC-LN");
    expect(status).to.equal(200);
    expect(json).to.include({ type: "BTC-LN", node: "server", address: null, state: "unchecked" });
    const { json: list } = await call("GET", "");
    expect(list.data.map(({ type }) => type)).to.include("BTC-LN");
    await switchLightningOff(api.ctx, shop.storeId);
    await switchLightningOff(api.ctx, shop.storeId);
    expectRefused(await call("GET", "/BTC-LN"), 404, "payment-method-not-found");
    const audit: { action: string }[] = await api.db.query(
      "SELECT action FROM audit_log WHERE store_id = $1 AND action LIKE 'lightning.%' ORDER BY at, action DESC",
      [shop.storeId],
    );
    expect(audit.map(({ action }) => action)).to.deep.equal([
      "lightning.switched-on",
      "lightning.switched-off",
    ]);
  });
});
