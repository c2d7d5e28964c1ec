import { once } from "node:events";
import { connect } from "node:net";
import { expect } from "chai";
import { eventually } from "../../support/eventually";
import { testDatabase } from "../../support/database";
import { pointers, startApi, type Answer, type TestApi, type TestStore, expectRefused } from "../server";

const DAY_MS = 24 * 3_600_000;

describe("API: Idempotency-Key", () => {
  let api: TestApi;
  let shop: TestStore;
  before(async () => {
    // As few connections as a process has by default: those who wait must not hold any.
    api = await startApi({ db: await testDatabase(5) });
  });
  beforeEach(async () => (shop = await api.store()));
  after(() => api.stop());

  const BODY = '{"amount": "1000", "currency": "SATS", "metadata": {"orderId":"A-1","n":1.0}}';
  const create = (key: string, body: unknown = BODY, store = shop): Promise<Answer> =>
    api.call("POST", `/stores/${store.storeId}/invoices`, {
      key: store.apiKey,
      body,
      headers: { "idempotency-key": key },
    });
  const invoices = async (storeId = shop.storeId): Promise<number> => {
    const [row] = await api.db.query<{ n: number }[]>(
      "SELECT count(*)::int AS n FROM invoices WHERE store_id = $1",
      [storeId],
    );
    return row?.n ?? 0;
  };
  const nextIndex = async (): Promise<number> => {
    const [row] = await api.db.query<{ n: number }[]>(
      `SELECT next_index AS n FROM wallets JOIN store_payment_methods ON wallet_id = wallets.id WHERE store_id = $1`,
      [shop.storeId],
    );
    return row?.n ?? 0;
  };
  const replayed = ({ headers }: Answer) => headers.get("idempotency-replayed");

  it("answers the same body byte for byte with the first answer, and says so", async () => {
    const first = await create("order-1");
    expect([first.status, replayed(first)]).to.deep.equal([201, null]);
    await api.db.query("UPDATE invoices SET description = 'changed meanwhile' WHERE id = $1", [
      first.json.invoiceId,
    ]);
    const again = await create("order-1");
    expect([again.status, replayed(again)]).to.deep.equal([201, "true"]);
    expect(again.text).to.equal(first.text);
    expect(first.text).to.include('"metadata":{"orderId":"A-1","n":1.0}');
    expect(await invoices()).to.equal(1);
  });

  it("refuses another body with idempotency-conflict, even by one blank", async () => {
    await create("order-1");
    expectRefused(await create("order-1", `${BODY} `), 409, "idempotency-conflict");
    expectRefused(
      await create("order-1", '{"amount":"2000","currency":"SATS"}'),
      409,
      "idempotency-conflict",
    );
    expect(await invoices()).to.equal(1);
  });

  it("keeps keys per store, and other keys as other requests", async () => {
    const other = await api.store();
    const answers = [await create("order-1"), await create("order-2"), await create("order-1", BODY, other)];
    expect(answers.map(replayed)).to.deep.equal([null, null, null]);
    expect(new Set(answers.map(({ json }) => json.invoiceId)).size).to.equal(3);
  });

  it("accepts a key bare and as a quoted string as the same", async () => {
    const first = await create(String.raw`a"b\c`);
    const quoted = await create(String.raw`"a\"b\\c"`);
    expect([first.status, quoted.text, replayed(quoted)]).to.deep.equal([201, first.text, "true"]);
  });

  it("accepts 255 characters and refuses more, none, open quotes and other characters", async () => {
    expect((await create("k".repeat(255))).status).to.equal(201);
    expect((await create(`"${"q".repeat(255)}"`)).status).to.equal(201);
    for (const key of ["k".repeat(256), "", '""', '"open', '"a"b"', String.raw`"\x"`, "caf\u00e9", "a\tb"]) {
      const answer = await create(key);
      expectRefused(answer, 422, "validation-failed");
      expect(pointers(answer)).to.deep.equal(["/Idempotency-Key"]);
    }
    expect(await invoices()).to.equal(2);
  });

  it("refuses two keys", async () => {
    const { port } = new URL(api.base);
    const socket = connect(Number(port), "127.0.0.1");
    const told: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => told.push(chunk));
    const lines = [`POST /api/v1/stores/${shop.storeId}/invoices HTTP/1.1`, "Host: api", "Connection: close"];
    lines.push(
      `x-api-key: ${shop.apiKey}`,
      "Content-Type: application/json",
      `Content-Length: ${BODY.length}`,
    );
    socket.write([...lines, "Idempotency-Key: a", "Idempotency-Key: b", "", BODY].join("\r\n"));
    await once(socket, "end");
    expect(Buffer.concat(told).toString())
      .to.match(/^HTTP\/1.1 422 /)
      .and.to.include('"/Idempotency-Key"');
  });

  it("stores no refusal: the same key works once the body or the store is fixed", async () => {
    expectRefused(await create("order-1", '{"amount":"1","currency":"SATS"}'), 422, "validation-failed");
    await api.db.query("DELETE FROM store_payment_methods WHERE store_id = $1", [shop.storeId]);
    expectRefused(await create("order-1"), 422, "validation-failed");
    const poor = await create("order-1");
    expectRefused(poor, 422, "validation-failed");
    expect(replayed(poor)).to.equal(null);
    const rows = await api.db.query<unknown[]>("SELECT 1 FROM idempotency_keys WHERE store_id = $1", [
      shop.storeId,
    ]);
    expect(rows).to.deep.equal([]);
  });

  it("gives one invoice and one address to 50 parallel requests with one key", async () => {
    const index = await nextIndex(); // stores of one key share it
    const answers = await Promise.all(Array.from({ length: 50 }, () => create("order-1")));
    expect(new Set(answers.map(({ text }) => text)).size).to.equal(1);
    expect(answers.map(({ status }) => status)).to.deep.equal(Array<number>(50).fill(201));
    expect(answers.filter((answer) => replayed(answer) === null)).to.have.length(1);
    expect([await invoices(), await nextIndex()]).to.deep.equal([1, index + 1]);
  });

  it("refuses another body while the first request is under way", async () => {
    await api.db.query(
      `INSERT INTO idempotency_keys VALUES ($1, 'order-1', '\\x00', 'clm_other', now() + interval '5 seconds', NULL, now() + interval '1 day')`,
      [shop.storeId],
    );
    expectRefused(await create("order-1"), 409, "idempotency-conflict");
  });

  it("takes over from a process that died, when its claim has run out", async () => {
    await api.db.query(
      `INSERT INTO idempotency_keys VALUES ($1, 'order-1', sha256($2), 'clm_dead', clock_timestamp() + interval '1 second', NULL, now() + interval '1 day')`,
      [shop.storeId, Buffer.from(BODY)],
    );
    const answers = await Promise.all(Array.from({ length: 10 }, () => create("order-1")));
    expect(new Set(answers.map(({ text }) => text)).size).to.equal(1);
    expect([answers[0]?.status, await invoices()]).to.deep.equal([201, 1]);
  });

  it("forgets a key after 24 h", async () => {
    const first = await create("order-1");
    api.ctx.clock.advance(DAY_MS - 60_000);
    expect(replayed(await create("order-1"))).to.equal("true");
    api.ctx.clock.advance(120_000);
    const late = await create("order-1", '{"amount":"2000","currency":"SATS"}');
    expect([late.status, replayed(late)]).to.deep.equal([201, null]);
    expect(late.json.invoiceId).not.to.equal(first.json.invoiceId);
    expect(replayed(await create("order-1", '{"amount":"2000","currency":"SATS"}'))).to.equal("true");
    api.ctx.clock.advance(-DAY_MS - 60_000);
  });

  describe("with a creation that is paused", () => {
    /** Holds every creation at its event, inside its transaction, until `free` is called. */
    async function hold(): Promise<{ free: () => Promise<void>; held: () => Promise<number> }> {
      const runner = api.db.createQueryRunner();
      await runner.startTransaction();
      await runner.query("LOCK TABLE invoice_events IN ACCESS EXCLUSIVE MODE");
      return {
        free: async () => {
          await runner.rollbackTransaction();
          await runner.release();
        },
        held: async () => {
          const [row] = await runner.manager.query<{ n: number }[]>(
            "SELECT count(*)::int AS n FROM pg_locks WHERE relation = 'invoice_events'::regclass AND NOT granted",
          );
          return row?.n ?? 0;
        },
      };
    }

    it("is done once by those that wait when its connection dies before the commit", async () => {
      const { free, held } = await hold();
      const answers = Array.from({ length: 10 }, () => create("order-1"));
      await eventually(async () => (await held()) === 1);
      await api.db.query(
        `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = 'invoice_events'::regclass AND NOT granted`,
      );
      await free();
      const all = await Promise.all(answers);
      const made = all.filter(({ status }) => status === 201);
      const failed = all.filter(({ status }) => status !== 201);
      expect(failed.map(({ json }) => json.code)).to.deep.equal(["unavailable"]);
      expect(new Set(made.map(({ text }) => text)).size).to.equal(1);
      expect(await invoices()).to.equal(1);
    });

    for (const [when, claimedUntil] of [
      ["that took it over", "now()"],
      ["that took it over after the clock was set back", "now() + interval '1 hour'"],
    ] as const)
      it(`loses to the process ${when}: it commits nothing, and all get one answer`, async () => {
        const { free, held } = await hold();
        const slow = create("order-1");
        await eventually(async () => (await held()) === 1);
        await api.db.query(
          `UPDATE idempotency_keys SET claimed_until = ${claimedUntil} WHERE store_id = $1`,
          [shop.storeId],
        );
        const second = create("order-1");
        await eventually(async () => (await held()) === 2);
        await free();
        const [one, two] = await Promise.all([slow, second]);
        expect([one.status, one.text]).to.deep.equal([201, two.text]);
        expect([replayed(one), replayed(two)]).to.have.members(["true", null]);
        expect(await invoices()).to.equal(1);
      });
  });
});
