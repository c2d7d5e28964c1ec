import { expect } from "chai";
import { deriveAddress } from "../../support/derive-address";
import { Alert } from "../../../entities/alert";
import { buildInvoice, buildOpenBolt11, buildStore, newXpub } from "../../support/factories";
import { createApiKey } from "../../../commands/stores/api-key";
import { changeWallet } from "../../../commands/wallets/change-wallet";
import { breaksInvariants } from "../../support/invariants-always";
import { expectRefused, startApi, type TestApi, type TestStore } from "../server";

const THIEF = "bcrt1qcr8te4kr609gcawutmrza0j4xv80jy8zeqchgx";

/** Somebody who can write to the database, and does not know APP_SECRET. */
describe("an attacker with write access to the database", () => {
  let api: TestApi;
  let shop: TestStore;
  /** A wallet's key, and the store that has it. */
  let xpub: string;
  before(async () => {
    api = await startApi();
    breaksInvariants(api.db, "somebody else writes to the database");
  });
  beforeEach(async () => (shop = await newShop()));
  after(() => api.stop());

  async function newShop(): Promise<TestStore> {
    xpub = newXpub();
    const { id: storeId } = await buildStore(api.ctx, { wallet: { xpub } });
    const { apiKey } = await createApiKey(api.ctx, { storeId, name: "shop" });
    return { storeId, apiKey };
  }
  const sql = (text: string, ...values: unknown[]): Promise<unknown> => api.db.query(text, values);
  const ask = (method: string, path: string, body?: unknown) =>
    api.call(method, `/stores/${shop.storeId}${path}`, { key: shop.apiKey, body });
  const create = () => ask("POST", "/invoices", { amount: "5000", currency: "SATS" });
  const newInvoice = async (): Promise<{ id: string; address: string }> => {
    const { json } = await create();
    return { id: json.invoiceId, address: json.paymentMethods[0].destination };
  };
  const methodsOf = async (id: string) =>
    (await ask("GET", `/invoices/${id}`)).json.paymentMethods as unknown as Record<string, unknown>[];
  const page = async (id: string): Promise<string> => (await fetch(`${api.base}/i/${id}`)).text();
  const openAlerts = async () =>
    (await api.db.manager.findBy(Alert, { storeId: shop.storeId, kind: "destination-not-authentic" })).filter(
      ({ resolvedAt }) => resolvedAt === null,
    );

  const HIDDEN = { destination: null, paymentUri: null, available: false, reason: "not-authentic" };
  /** On the page, in the API, the list and the export: none of these texts, and one alert. */
  async function expectHidden(id: string, type: string, ...texts: string[]): Promise<void> {
    const shown = [
      await page(id),
      (await ask("GET", `/invoices/${id}`)).text,
      (await ask("GET", "/invoices")).text,
      (await ask("GET", "/invoices/export?format=json")).text,
      (await ask("GET", `/invoices/${id}/events`)).text,
    ];
    for (const text of texts) for (const answer of shown) expect(answer).not.to.include(text);
    const method = (await methodsOf(id)).find((one) => one["type"] === type);
    expect(method).to.deep.include(HIDDEN);
    const [alert, ...more] = await openAlerts();
    expect(more).to.deep.equal([]);
    expect(alert).to.deep.include({ severity: "critical", invoiceId: id });
  }
  const expectNoAddress = async (): Promise<void> => {
    const refused = await create();
    expectRefused(refused, 503, "payment-method-unavailable");
    const { json } = await ask("GET", "/payment-methods/BTC-CHAIN");
    expect(json).to.deep.include({ fingerprint: null, available: false, reason: "not-authentic" });
    expect((await ask("GET", "/payment-methods")).json.data[0]).to.deep.include({ available: false });
    expect((await openAlerts()).map(({ severity }) => severity)).to.deep.equal(["critical"]);
  };

  it("cannot have a changed address shown, and causes one alert", async () => {
    const { id, address } = await newInvoice();
    expect(await page(id)).to.include(address);
    await sql("UPDATE invoice_payment_methods SET destination = $2 WHERE invoice_id = $1", id, THIEF);
    await expectHidden(id, "BTC-CHAIN", THIEF);
  });

  it("cannot have an address shown by setting its MAC to NULL, or to another's", async () => {
    const [one, other] = [await newInvoice(), await newInvoice()];
    await sql("UPDATE invoice_payment_methods SET mac = NULL WHERE invoice_id = $1", one.id);
    await expectHidden(one.id, "BTC-CHAIN", one.address);
    await sql(
      `UPDATE invoice_payment_methods m SET mac = o.mac FROM invoice_payment_methods o
        WHERE m.invoice_id = $1 AND o.invoice_id = $2`,
      one.id,
      other.id,
    );
    await expectHidden(one.id, "BTC-CHAIN", one.address);
  });

  it("cannot have another invoice's address shown, with its MAC", async () => {
    const [one, other] = [await newInvoice(), await newInvoice()];
    await sql(
      `UPDATE invoice_payment_methods m SET destination = o.destination, mac = o.mac
         FROM invoice_payment_methods o WHERE m.invoice_id = $1 AND o.invoice_id = $2`,
      one.id,
      other.id,
    );
    expect((await methodsOf(one.id))[0]).to.deep.include(HIDDEN);
    expect(await page(one.id)).not.to.include(other.address);
    expect((await methodsOf(other.id))[0]).to.deep.include({ destination: other.address, available: true });
  });

  it("cannot have an address shown whose script is not watched for it any more", async () => {
    const { id, address } = await newInvoice();
    await sql("UPDATE watched_scripts SET address_index = address_index + 1000 WHERE invoice_id = $1", id);
    await expectHidden(id, "BTC-CHAIN", address);
    await sql("DELETE FROM watched_scripts WHERE invoice_id = $1", id);
    await expectHidden(id, "BTC-CHAIN", address);
  });

  it("cannot have a changed BOLT11 shown, also when both rows have it", async () => {
    const { id } = await newInvoice();
    const bolt11 = await buildOpenBolt11(api.ctx, id);
    expect(await page(id)).to.include(bolt11);
    await sql(
      "UPDATE invoice_payment_methods SET destination = 'lnbcrt1thief' WHERE destination = $1",
      bolt11,
    );
    await expectHidden(id, "BTC-LN", "lnbcrt1thief", "LNBCRT1THIEF");
    await sql("UPDATE bolt11s SET bolt11 = 'lnbcrt1thief' WHERE invoice_id = $1", id);
    await expectHidden(id, "BTC-LN", "lnbcrt1thief", "LNBCRT1THIEF");
  });

  it("gets no address of another key, or of another script type", async () => {
    const other = newXpub();
    const { id } = await buildStore(api.ctx, { wallet: { xpub: other } });
    const key = `(SELECT d.xpub_encrypted FROM store_payment_methods m JOIN wallets d ON d.id = m.wallet_id
      WHERE m.store_id = '${id}')`;
    await sql(
      `UPDATE wallets SET xpub_encrypted = ${key}
        WHERE id = (SELECT wallet_id FROM store_payment_methods WHERE store_id = $1)`,
      shop.storeId,
    );
    await expectNoAddress();
    shop = await newShop();
    await sql(
      `UPDATE wallets SET script_type = 'pkh'
        WHERE id = (SELECT wallet_id FROM store_payment_methods WHERE store_id = $1)`,
      shop.storeId,
    );
    await expectNoAddress();
  });

  it("gets no address by moving a store's link to another wallet, with its MAC or without one", async () => {
    const { id } = await buildStore(api.ctx);
    await sql(
      `UPDATE store_payment_methods m SET wallet_id = o.wallet_id, mac = o.mac
         FROM store_payment_methods o WHERE m.store_id = $1 AND o.store_id = $2`,
      shop.storeId,
      id,
    );
    await expectNoAddress();
    await sql("UPDATE store_payment_methods SET mac = NULL WHERE store_id = $1", shop.storeId);
    await expectNoAddress();
    await sql("UPDATE store_payment_methods SET wallet_id = 'drv_none' WHERE store_id = $1", shop.storeId);
    await expectNoAddress();
  });

  it("does not disable Lightning by it, and no lazy invoice gets an address", async () => {
    await sql("UPDATE stores SET lazy_addresses = true WHERE id = $1", shop.storeId);
    const { json } = await create();
    await sql("UPDATE store_payment_methods SET mac = NULL WHERE store_id = $1", shop.storeId);
    const path = `/invoices/${json.invoiceId}/payment-methods/BTC-CHAIN/activate`;
    const refused = await ask("POST", path, {});
    expectRefused(refused, 503, "payment-method-unavailable");
    expect(await page(json.invoiceId)).not.to.include("bcrt1");
    expect(await openAlerts()).to.have.length(1);
  });

  it("is undone by the owner, who sets the wallet again", async () => {
    await sql(
      `UPDATE wallets SET xpub_encrypted = '\\x00'
        WHERE id = (SELECT wallet_id FROM store_payment_methods WHERE store_id = $1)`,
      shop.storeId,
    );
    await expectNoAddress();
    const { wallet } = await changeWallet(api.ctx, shop.storeId, { xpub });
    expect(wallet?.fingerprint).to.match(/^[0-9a-f]{8}$/);
    const { address } = await newInvoice();
    expect(address).to.equal(deriveAddress({ xpub, scriptType: "wpkh" }, 0, "regtest").address);
  });

  it("gets no changed answer replayed for an idempotency key", async () => {
    const body = { amount: "5000", currency: "SATS" };
    const send = () =>
      api.call("POST", `/stores/${shop.storeId}/invoices`, {
        key: shop.apiKey,
        body,
        headers: { "Idempotency-Key": "order-1" },
      });
    const { json } = await send();
    await sql(
      "UPDATE idempotency_keys SET answer = convert_to(replace(convert_from(answer, 'UTF8'), $2, $3), 'UTF8') WHERE store_id = $1",
      shop.storeId,
      json.paymentMethods[0].destination,
      THIEF,
    );
    const replayed = await send();
    expectRefused(replayed, 503, "unavailable");
    expect(replayed.text).not.to.include(THIEF);
    expect(await openAlerts()).to.have.length(1);
  });

  it("gets no address given twice by lowering a wallet's index, or by deleting its key's hash", async () => {
    const given = [await newInvoice(), await newInvoice(), await newInvoice()].map(({ address }) => address);
    const link = "(SELECT wallet_id FROM store_payment_methods WHERE store_id = $1)";
    await sql(`UPDATE wallets SET next_index = 0 WHERE id = ${link}`, shop.storeId);
    given.push((await newInvoice()).address);
    await sql(`UPDATE wallets SET account_key_hash = '\\x00' WHERE id = ${link}`, shop.storeId);
    const { wallet } = await changeWallet(api.ctx, shop.storeId, { xpub });
    expect(wallet?.nextIndex).to.equal(4);
    given.push((await newInvoice()).address);
    expect(given).to.deep.equal(
      given.map((_, index) => deriveAddress({ xpub, scriptType: "wpkh" }, index, "regtest").address),
    );
  });

  it("gets no address given twice, and the wallet not exhausted, by deleting its row", async () => {
    const given = [await newInvoice(), await newInvoice()].map(({ address }) => address);
    await sql(
      "DELETE FROM wallets WHERE id = (SELECT wallet_id FROM store_payment_methods WHERE store_id = $1)",
      shop.storeId,
    );
    await changeWallet(api.ctx, shop.storeId, { xpub });
    given.push((await newInvoice()).address);
    expect(given).to.deep.equal(
      given.map((_, index) => deriveAddress({ xpub, scriptType: "wpkh" }, index, "regtest").address),
    );
  });

  it("gets no address given out below a key's start index by deleting its hash", async () => {
    await changeWallet(api.ctx, shop.storeId, { xpub, startIndex: 60 });
    await newInvoice();
    const link = "(SELECT wallet_id FROM store_payment_methods WHERE store_id = $1)";
    await sql(`UPDATE wallets SET account_key_hash = '\\x02' WHERE id = ${link}`, shop.storeId);
    await changeWallet(api.ctx, shop.storeId, { xpub });
    const { address } = await newInvoice();
    expect(address).to.equal(deriveAddress({ xpub, scriptType: "wpkh" }, 61, "regtest").address);
  });

  it("does not delay addresses behind those that were given beyond the first hundred", async () => {
    await changeWallet(api.ctx, shop.storeId, { xpub, startIndex: 5_000 });
    const link = "(SELECT wallet_id FROM store_payment_methods WHERE store_id = $1)";
    for (let times = 0; times < 3; times += 1) await newInvoice();
    await sql(
      `UPDATE wallets SET next_index = 5000, account_key_hash = '\\x01' WHERE id = ${link}`,
      shop.storeId,
    );
    await changeWallet(api.ctx, shop.storeId, { xpub, startIndex: 5_000 });
    const { address } = await newInvoice();
    expect(address).to.equal(deriveAddress({ xpub, scriptType: "wpkh" }, 5_003, "regtest").address);
  });

  it("reads no key of a wallet in the database", async () => {
    const rows = await api.db.query<unknown[]>("SELECT d::text AS text FROM wallets d");
    expect(rows).not.to.have.length(0);
    expect(JSON.stringify(rows)).not.to.match(/[tx]pub/);
  });

  it("causes no alert for an unchanged invoice", async () => {
    const { id, address } = await newInvoice();
    await buildOpenBolt11(api.ctx, id);
    expect((await methodsOf(id)).map(({ available }) => available)).to.deep.equal([true, true]);
    expect((await buildInvoice(api.ctx)).methods[0]?.available).to.equal(true);
    expect(await page(id)).to.include(address);
    expect(await openAlerts()).to.deep.equal([]);
  });
});
