import { PRUNE_FOLLOWED } from "../../../commands/chain/payment-queries";
import { prune } from "../../../commands/server/prune";
import { expect } from "chai";
import { advanceConfirmations } from "../../../commands/chain/advance-confirmations";
import { decideByJob } from "../../../commands/invoices/decide-due-invoices";
import { decideDueInvoices } from "../../../commands/invoices/decide-due-invoices";
import { readHealth } from "../../../commands/server/health";
import { isItemFailure } from "../../../database/item-failure";
import { rescanChain } from "../../../commands/chain/rescan-chain";
import { retryInvoices } from "../../../commands/chain/retry-set-aside";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { readChainStanding } from "../../../commands/chain/chain-standing";
import { resolveAlertByHand } from "../../../commands/server/resolve-alert-by-hand";
import { askToRetrySetAside } from "../../../commands/chain/set-aside";
import { SetAside } from "../../../entities/set-aside";
import { ChainBench } from "../../support/chain";
import { mineOutputs } from "../../support/node-tricks";

const HALF_A_MINUTE_MS = 31_000;

describe("a transaction that cannot be processed", function () {
  this.timeout(60_000);
  let bench: ChainBench;
  beforeEach(async () => {
    bench = await ChainBench.start();
    await bench.look();
  });
  afterEach(() => bench.stop());

  /** Statements on a table that Postgres refuses, where `condition` holds. */
  const poison = async (table: string, events: string, condition: string): Promise<void> => {
    await bench.ctx.db.query(
      `CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN IF ${condition} THEN RAISE EXCEPTION 'poison'; END IF; RETURN NEW; END $$`,
    );
    await bench.ctx.db.query(
      `CREATE TRIGGER poison BEFORE ${events} ON ${table} FOR EACH ROW EXECUTE FUNCTION poison()`,
    );
  };
  const cure = () => bench.ctx.db.query(`DROP FUNCTION poison CASCADE`);
  const rows = () => bench.ctx.db.manager.find(SetAside);
  const setAside = async () =>
    (await rows())
      .filter(({ setAsideAt }) => setAsideAt !== null)
      .map(({ kind, subject }) => ({ kind, subject }));
  /** The same again until a minute is over; answers whether each check was complete. */
  const lookForAMinute = async (): Promise<boolean[]> => {
    const complete: boolean[] = [];
    for (let times = 0; times < 3; times += 1) {
      complete.push((await bench.look()).caughtUp);
      bench.ctx.clock.advance(HALF_A_MINUTE_MS);
    }
    return complete;
  };
  const twoPaid = async () => {
    const [bad, good] = [await bench.invoice(), await bench.invoice()];
    return { bad, good };
  };

  it("delays no other transaction of the mempool, and is set aside after a minute", async () => {
    const { bad, good } = await twoPaid();
    const txid = await bench.node.pay(bad.address, 100_000n);
    await poison("payments", "INSERT OR UPDATE", `NEW.txid = '${txid}'`);
    await bench.node.pay(good.address, 100_000n);
    expect((await bench.look()).caughtUp).to.equal(false);
    expect(await bench.status(good.id)).to.equal("Processing/None");
    expect(await setAside()).to.deep.equal([]);
    bench.ctx.clock.advance(HALF_A_MINUTE_MS);
    expect(await lookForAMinute()).to.deep.equal([false, true, true]);
    expect(await setAside()).to.deep.equal([{ kind: "transaction", subject: txid }]);
    const [alert] = await bench.alerts("set-aside");
    expect(alert).to.deep.include({ severity: "critical", resolvedAt: null });
    expect(alert?.message).to.include(txid).and.include("poison").and.include("cli retry set-aside");
  });

  it("is skipped in its block, and is processed there when it is tried again", async () => {
    const { bad, good } = await twoPaid();
    const txid = await bench.node.pay(bad.address, 100_000n);
    await poison("payments", "INSERT OR UPDATE", `NEW.txid = '${txid}'`);
    await lookForAMinute();
    await bench.node.pay(good.address, 100_000n);
    await bench.node.mine(1);
    expect((await bench.look()).caughtUp).to.equal(true);
    expect(await bench.status(good.id)).to.equal("Settled/None");
    expect(await bench.status(bad.id)).to.equal("New/None");
    expect((await rows())[0]).to.include({ height: (await bench.cursor())?.height });

    expect(await askToRetrySetAside(bench.ctx)).to.equal(1);
    await bench.look();
    expect(await setAside(), "fails again").to.have.length(1);
    await cure();
    await bench.look();
    expect(await bench.status(bad.id), "not asked for").to.equal("New/None");
    await askToRetrySetAside(bench.ctx);
    await bench.look();
    expect(await bench.status(bad.id)).to.equal("Settled/None");
    expect(await rows()).to.deep.equal([]);
    expect((await bench.alerts("set-aside"))[0]?.resolvedAt).to.not.equal(null);
  });

  it("delays a block for a minute when first seen there, and then only itself", async () => {
    const { bad, good } = await twoPaid();
    const [txid] = await mineOutputs(bench.node, [
      [{ address: bad.address, amountSats: 100_000n }],
      [{ address: good.address, amountSats: 100_000n }],
    ]);
    await poison("payments", "INSERT OR UPDATE", `NEW.txid = '${txid}'`);
    const before = (await bench.cursor())?.height ?? 0;
    const outcome = await bench.look();
    expect(outcome).to.include({ caughtUp: false, fault: "behind" });
    expect((await bench.cursor())?.height).to.equal(before);
    bench.ctx.clock.advance(HALF_A_MINUTE_MS);
    expect(await lookForAMinute()).to.deep.equal([false, true, true]);
    expect(await setAside()).to.deep.equal([{ kind: "transaction", subject: txid }]);
    expect((await bench.cursor())?.height).to.equal(before + 1);
    expect(await bench.status(good.id)).to.equal("Settled/None");
    const next = await bench.invoice();
    await bench.node.pay(next.address, 100_000n);
    await bench.node.mine(1);
    await bench.look();
    expect(await bench.status(next.id)).to.equal("Settled/None");
  });

  const paidAtOnce = async () => {
    const { id, address } = await bench.zeroConfInvoice();
    const first = await bench.node.pay(address, 100_000n, { replaceable: false });
    await bench.look();
    return { id, address, first };
  };

  it("keeps an invoice Settled whose other payment a block takes back, until it is tried again", async () => {
    const { id, address, first } = await paidAtOnce();
    const again = await bench.node.pay(address, 100_000n);
    await poison("payments", "INSERT OR UPDATE", `NEW.txid = '${again}'`);
    await lookForAMinute();
    await bench.node.doubleSpend(first);
    expect(await bench.look()).to.include({ caughtUp: true });
    expect(await bench.alerts("double-spend")).to.have.length(1);
    expect(await bench.status(id)).to.equal("Settled/None");
    await cure();
    await askToRetrySetAside(bench.ctx);
    await bench.look();
    await bench.node.mine(1);
    await bench.look();
    expect(await bench.events(id)).to.deep.equal(["New/None", "Settled/None"]);
  });

  it("is tried once more when its alert is resolved by hand: one that is gone keeps no invoice Settled", async () => {
    const { id, address, first } = await paidAtOnce();
    const again = await bench.node.pay(address, 100_000n);
    await poison("payments", "INSERT OR UPDATE", `NEW.txid = '${again}'`);
    await lookForAMinute();
    await cure();
    const elsewhere = { address: await bench.node.newAddress(), amountSats: 50_000n };
    await bench.node.bump(again, { to: [elsewhere] });
    await bench.node.doubleSpend(first);
    await bench.look();
    await decideDueInvoices(bench.ctx);
    expect(await bench.status(id)).to.equal("Settled/None");
    const [alert] = await bench.alerts("set-aside");
    await resolveAlertByHand(bench.ctx, { alertId: alert?.id ?? "" });
    await bench.look();
    await bench.runJobs();
    expect(await rows()).to.deep.equal([]);
    expect(await bench.events(id)).to.deep.equal(["New/None", "Settled/None", "Invalid/None"]);
  });

  it("is not forgotten by a retry before the block that has it is read", async () => {
    const { bad } = await twoPaid();
    const txid = await bench.node.pay(bad.address, 100_000n);
    await poison("payments", "INSERT OR UPDATE", `NEW.txid = '${txid}'`);
    await lookForAMinute();
    await cure();
    await askToRetrySetAside(bench.ctx);
    await bench.node.mine(1);
    bench.beforeBlock = async () => {
      expect(await setAside(), "holds what it pays").to.deep.equal([{ kind: "transaction", subject: txid }]);
    };
    await bench.look();
    await bench.look();
    await bench.runJobs();
    expect(await rows()).to.deep.equal([]);
    expect(await bench.status(bad.id)).to.equal("Settled/None");
  });

  it("stays set aside, with an alert, when that is resolved by hand and it still cannot be processed", async () => {
    const { bad } = await twoPaid();
    const txid = await bench.node.pay(bad.address, 100_000n);
    await poison("payments", "INSERT OR UPDATE", `NEW.txid = '${txid}'`);
    await lookForAMinute();
    const [alert] = await bench.alerts("set-aside");
    await resolveAlertByHand(bench.ctx, { alertId: alert?.id ?? "" });
    expect((await bench.alerts("set-aside")).filter(({ resolvedAt }) => resolvedAt === null)).to.deep.equal(
      [],
    );
    await bench.look();
    expect(await setAside()).to.deep.equal([{ kind: "transaction", subject: txid }]);
    expect((await bench.alerts("set-aside")).filter(({ resolvedAt }) => resolvedAt === null)).to.have.length(
      1,
    );
    await cure();
    await askToRetrySetAside(bench.ctx);
    await bench.look();
    expect(await bench.status(bad.id)).to.equal("Processing/None");
  });

  it("does not end an invoice whose payment it replaces, however long after the expiry", async () => {
    const { id, address } = await bench.invoice();
    const txid = await bench.node.pay(address, 100_000n);
    await bench.look();
    await bench.agePaid(id, 150);
    await bench.look();
    expect(await bench.status(id)).to.equal("Processing/None");
    const bumped = await bench.node.bump(txid);
    await poison("payments", "INSERT OR UPDATE", `NEW.txid = '${bumped}'`);
    await lookForAMinute();
    await bench.node.mine(1);
    for (let times = 0; times < 8; times += 1) {
      bench.ctx.clock.advance(4 * HALF_A_MINUTE_MS);
      await bench.look();
    }
    expect((await bench.paymentOf(txid)).state, "the node refuses it").to.equal("evicted");
    await decideDueInvoices(bench.ctx);
    expect(await bench.status(id)).to.equal("Processing/None");
    await cure();
    await askToRetrySetAside(bench.ctx);
    await bench.look();
    expect(await bench.events(id)).to.deep.equal(["New/None", "Processing/None", "Settled/None"]);
  });

  it("is tried again by another version of the service, and by a rescan", async () => {
    const { bad, good } = await twoPaid();
    for (const { address } of [bad, good]) await bench.node.pay(address, 100_000n);
    await poison("payments", "INSERT OR UPDATE", "TRUE");
    await lookForAMinute();
    await bench.node.mine(1);
    await bench.look();
    expect(await setAside()).to.have.length(2);
    const { height = 0 } = (await bench.cursor()) ?? {};
    await bench.ctx.db.query(`DROP TRIGGER poison ON payments; DROP FUNCTION poison`);
    await poison("payments", "INSERT OR UPDATE", `NEW.invoice_id = '${bad.id}'`);
    await rescanChain(bench.ctx, height);
    expect(await setAside(), "passed over by the rescan").to.have.length(2);
    await cure();
    bench.ctx.settings.version = "99.0.0";
    await bench.look();
    expect(await rows()).to.deep.equal([]);
    for (const { id } of [bad, good]) expect(await bench.status(id)).to.equal("Settled/None");
  });

  it("is skipped however many others are set aside", async () => {
    const { bad, good } = await twoPaid();
    await bench.ctx.db.query(
      `INSERT INTO set_aside (kind, subject, failures, first_failed_at, last_failed_at, set_aside_at, error, version)
       SELECT 'transaction', lpad(n::text, 64, '0'), 3, now(), now(), now(), 'poison', $1 FROM generate_series(1, 1100) n`,
      [bench.ctx.settings.version],
    );
    const [txid] = await mineOutputs(bench.node, [
      [{ address: bad.address, amountSats: 100_000n }],
      [{ address: good.address, amountSats: 100_000n }],
    ]);
    await poison("payments", "INSERT OR UPDATE", `NEW.txid = '${txid}'`);
    await lookForAMinute();
    expect((await bench.look()).caughtUp).to.equal(true);
    expect(await bench.status(good.id)).to.equal("Settled/None");
  });

  it("holds only the expiry of the invoice that it pays, and counts as paid in time when it is tried again", async () => {
    const { bad, good } = await twoPaid();
    const txid = await bench.node.pay(bad.address, 100_000n);
    await poison("payments", "INSERT OR UPDATE", `NEW.txid = '${txid}'`);
    await lookForAMinute();
    expect((await rows())[0]).to.deep.include({ invoiceIds: [bad.id] });
    const { expiresAt } = bad.view.invoice;
    bench.ctx.clock.advance(
      expiresAt.getTime() - (await bench.ctx.now(bench.ctx.db.manager)).getTime() + 60_000,
    );
    await bench.node.mine(1);
    await bench.look();
    await decideDueInvoices(bench.ctx);
    await bench.runJobs();
    expect(await bench.status(good.id)).to.equal("Expired/None");
    expect(await bench.status(bad.id)).to.equal("New/None");
    await cure();
    await askToRetrySetAside(bench.ctx);
    await bench.look();
    expect(await bench.status(bad.id)).to.equal("Settled/None");
  });

  describe("a block that cannot be processed", () => {
    /** Though each of its transactions can be recorded. */
    const blockThatFails = async () => {
      await poison("chain_blocks", "INSERT", "NOT EXISTS (SELECT FROM chain_gaps WHERE kind = 'set-aside')");
      const paid = await bench.invoice();
      await bench.node.pay(paid.address, 100_000n);
      const [hash = ""] = await bench.node.mine(1);
      return { hash, paid };
    };

    const openGaps = async () =>
      (await bench.gaps())
        .filter(({ closedAt }) => closedAt === null)
        .map(({ kind, fromHeight }) => [kind, fromHeight]);

    it("is set aside, opens a gap that holds expiries, and is processed when it is tried again", async () => {
      const { hash, paid } = await blockThatFails();
      const unpaid = await bench.invoice();
      const decide = async () => {
        await changeInvoice(bench.ctx, unpaid.id);
        return bench.status(unpaid.id);
      };
      await lookForAMinute();
      expect(await setAside()).to.deep.equal([{ kind: "block", subject: hash }]);
      const height = (await bench.cursor())?.height;
      expect(await openGaps()).to.deep.equal([["set-aside", height]]);
      const standing = () => readChainStanding(bench.ctx.db.manager);
      expect((await standing()).gaps, "the end of monitoring waits").to.have.length(1);
      await bench.endTime(unpaid.id);
      const next = await bench.invoice();
      await bench.node.pay(next.address, 100_000n);
      await bench.node.mine(1);
      await bench.look();
      expect(await bench.status(next.id)).to.equal("Settled/None");
      expect(await bench.status(paid.id)).to.not.equal("Settled/None");
      expect(await decide()).to.equal("New/None");
      await cure();
      await askToRetrySetAside(bench.ctx);
      await bench.look();
      expect(await bench.status(paid.id)).to.equal("Settled/None");
      expect(await openGaps()).to.deep.equal([]);
      expect((await standing()).gaps).to.deep.equal([]);
      expect(await decide()).to.equal("Expired/None");
    });

    it("is given up when its alert is resolved by hand, and holds expiries no longer", async () => {
      await blockThatFails();
      await lookForAMinute();
      const [alert] = await bench.alerts("set-aside");
      await resolveAlertByHand(bench.ctx, { alertId: alert?.id ?? "" });
      expect(await setAside()).to.deep.equal([]);
      expect(await openGaps()).to.deep.equal([]);
    });

    it("does not delay the chain when it is tried again and the node's answer is invalid", async () => {
      await bench.ctx.db.query(
        `INSERT INTO set_aside (kind, subject, height, block_hash, failures, first_failed_at, last_failed_at, set_aside_at,
           error, version, retry_asked) VALUES ('block', 'no hash', 999, 'no hash', 3, now(), now(), now(), 'x', '1', true)`,
      );
      expect(await bench.look()).to.deep.equal({ caughtUp: true });
      const [row] = await rows();
      expect(row).to.include({ subject: "no hash", retryAsked: false });
      expect(row?.setAsideAt).to.be.instanceOf(Date);
    });

    it("is set aside no longer when a reorganisation removes it", async () => {
      const { hash } = await blockThatFails();
      await lookForAMinute();
      await cure();
      await bench.node.reorg(1);
      await bench.look();
      expect(await setAside()).to.deep.equal([]);
      expect(await openGaps()).to.deep.equal([]);
      expect((await bench.cursor())?.hash).to.not.equal(hash);
      expect((await bench.alerts("set-aside"))[0]?.resolvedAt).to.not.equal(null);
    });
  });

  it("is forgotten by a retry when its block never became part of our chain", async () => {
    const never = "f".repeat(64);
    const { height = 0 } = (await bench.cursor()) ?? {};
    await bench.ctx.db.query(
      `INSERT INTO set_aside (kind, subject, height, block_hash, failures, first_failed_at, last_failed_at, set_aside_at, error, version)
       VALUES ('transaction', $1, $2, $1, 3, now(), now(), now(), 'poison', 'older')`,
      [never, height],
    );
    await bench.look();
    await bench.look();
    expect(await rows()).to.deep.equal([]);
  });

  it("does not prevent undoing a block when what its payments spend cannot be stored", async () => {
    const { id, address } = await bench.invoice({ requiredConfirmations: 3 });
    const spending = await bench.node.pay(await bench.node.newAddress(), 200_000n);
    const txid = await bench.node.pay(address, 100_000n, { spending });
    await bench.node.mine(1);
    await bench.look();
    const stale = (await bench.cursor())?.hash;
    await poison("payment_inputs", "INSERT", "NEW.ancestor_txid IS NOT NULL");
    await bench.node.reorg(1, { exclude: [txid] });
    await bench.look();
    expect((await bench.cursor())?.hash).to.not.equal(stale);
    expect(await bench.paymentOf(txid)).to.deep.include({ state: "pending", blockHash: null });
    await cure();
    await bench.node.mine(3);
    await bench.look();
    expect(await bench.status(id)).to.equal("Settled/None");
  });

  describe("an invoice that cannot be decided", () => {
    const decideAll = async (): Promise<void> => {
      await decideDueInvoices(bench.ctx);
      const jobs = bench.ctx.jobs.splice(0).filter(({ queue }) => queue === "invoices");
      await Promise.allSettled(
        jobs.map(({ payload }) => decideByJob(bench.ctx, (payload as { invoiceId: string }).invoiceId)),
      );
    };

    it("delays no other decision, and is set aside until it is tried again", async () => {
      const { bad, good } = await twoPaid();
      await poison("invoice_events", "INSERT", `NEW.invoice_id = '${bad.id}'`);
      for (const { id } of [bad, good]) await bench.age(id, 60);
      await bench.ctx.db.query(`UPDATE invoices SET decide_at = expires_at`);
      await bench.look();
      await decideAll();
      expect(await bench.status(good.id)).to.equal("Expired/None");
      for (let times = 0; times < 2; times += 1) {
        bench.ctx.clock.advance(HALF_A_MINUTE_MS);
        await bench.look(); // other work
        await decideAll();
      }
      expect(await setAside()).to.deep.equal([{ kind: "invoice", subject: bad.id }]);
      await decideAll();
      expect((await rows())[0]).to.include({ failures: 3 });
      await cure();
      await retryInvoices(bench.ctx);
      expect(await bench.status(bad.id), "not asked for").to.equal("New/None");
      await askToRetrySetAside(bench.ctx);
      await retryInvoices(bench.ctx);
      expect(await bench.status(bad.id)).to.equal("Expired/None");
      expect(await rows()).to.deep.equal([]);
    });

    it("does not prevent undoing a block, and is decided when it is tried again", async () => {
      const [bad, good] = [
        await bench.invoice({ requiredConfirmations: 2 }),
        await bench.invoice({ requiredConfirmations: 2 }),
      ];
      const exclude = [
        await bench.node.pay(bad.address, 100_000n),
        await bench.node.pay(good.address, 100_000n),
      ];
      await bench.node.mine(1);
      await bench.look();
      const stale = (await bench.cursor())?.hash;
      await poison("payments", "INSERT OR UPDATE", `NEW.invoice_id = '${bad.id}' AND NEW.block_hash IS NULL`);
      await bench.node.reorg(1, { exclude });
      expect(await bench.look()).to.include({ caughtUp: false, fault: "behind" });
      expect((await bench.cursor())?.hash, "stands").to.equal(stale);
      bench.ctx.clock.advance(HALF_A_MINUTE_MS);
      await lookForAMinute();
      expect(await setAside()).to.deep.include({ kind: "invoice", subject: bad.id });
      expect((await bench.cursor())?.hash).to.not.equal(stale);
      expect((await bench.payments(good.id)).map(({ blockHash }) => blockHash)).to.deep.equal([null]);
      expect((await bench.payments(bad.id)).map(({ blockHash }) => blockHash)).to.deep.equal([stale]);
      await bench.node.dropFromMempool(exclude[0] ?? "");
      await bench.node.mine(101);
      await bench.look();
      await prune(bench.ctx, { keptDays: 90, others: PRUNE_FOLLOWED });
      expect(await bench.rawTransaction(exclude[0] ?? ""), "it may still vanish").to.not.equal(null);
      await cure();
      await askToRetrySetAside(bench.ctx);
      await retryInvoices(bench.ctx);
      expect((await bench.payments(bad.id)).map(({ blockHash }) => blockHash)).to.deep.equal([null]);
      await bench.look();
      await bench.node.mine(2);
      await bench.look();
      for (const { id } of [bad, good]) expect(await bench.status(id)).to.equal("Settled/None");
    });

    it("delays no other confirmation", async () => {
      const terms = { requiredConfirmations: 2 };
      const [bad, good] = [await bench.invoice(terms), await bench.invoice(terms)];
      await poison("payments", "UPDATE", `NEW.state = 'confirmed' AND NEW.invoice_id = '${bad.id}'`);
      for (const { address } of [bad, good]) await bench.node.pay(address, 100_000n);
      await bench.node.mine(2);
      await bench.look();
      expect(await bench.status(good.id)).to.equal("Settled/None");
      for (let times = 0; times < 2; times += 1) {
        bench.ctx.clock.advance(HALF_A_MINUTE_MS);
        await bench.look(); // other work
        await advanceConfirmations(bench.ctx);
      }
      expect(await setAside()).to.deep.equal([{ kind: "invoice", subject: bad.id }]);
      await cure();
      await askToRetrySetAside(bench.ctx);
      await retryInvoices(bench.ctx);
      await bench.runJobs();
      expect(await bench.status(bad.id)).to.equal("Settled/None");
    });
  });

  it("degrades health until it is processed", async () => {
    const { bad } = await twoPaid();
    const txid = await bench.node.pay(bad.address, 100_000n);
    const health = async () => {
      const { checks } = await readHealth(bench.ctx, {
        version: "test",
        network: "regtest",
        bitcoinConfigured: true,
        lightningConfigured: false,
        queue: { status: "ok" },
      });
      return checks.bitcoin;
    };
    await bench.look();
    expect(await health()).to.deep.equal({ status: "ok" });
    await bench.ctx.db.query(
      `INSERT INTO set_aside (kind, subject, failures, first_failed_at, last_failed_at, set_aside_at, error, version)
       VALUES ('transaction', $1, 3, now(), now(), now(), 'poison', 'test')`,
      [txid],
    );
    const degraded = await health();
    expect(degraded).to.include({ status: "degraded" });
    expect(degraded.reason).to.include("1 transaction");
  });

  describe("distinguishes an input's error from", () => {
    const failureOf = async (sql: string): Promise<unknown> =>
      bench.ctx.db
        .transaction(async (manager) => {
          for (const statement of sql.split(";")) await manager.query(statement);
        })
        .then(
          () => expect.fail("it was not refused"),
          (error: unknown) => error,
        );
    for (const [what, sql, isItem] of [
      ["a constraint", `INSERT INTO heartbeats SELECT NULL`, true],
      ["a value", `SELECT 'x'::int`, true],
      ["a statement's time", `SET LOCAL statement_timeout = 10; SELECT pg_sleep(1)`, false],
      ["a column that a migration has yet to make", `SELECT no_such_column FROM payments`, false],
      [
        "a database that takes no writes",
        `SET TRANSACTION READ ONLY; DELETE FROM payment_method_syncs`,
        false,
      ],
      ["a session that was ended", `SELECT pg_terminate_backend(pg_backend_pid())`, false],
    ] as const)
      it(what, async () => {
        expect(isItemFailure(await failureOf(sql))).to.equal(isItem);
      });

    it("a message that Postgres refuses", async () => {
      const values = Array.from({ length: 65_536 }, (_, at) => at);
      const error: unknown = await bench.ctx.db
        .query(`SELECT ${values.map((at) => `$${at + 1}::int`).join()}`, values)
        .catch((reason: unknown) => reason);
      expect(isItemFailure(error)).to.equal(true);
    });

    it("a node that is away, and a hash that differs", async () => {
      const { bad } = await twoPaid();
      await bench.node.pay(bad.address, 100_000n);
      await bench.node.mine(1);
      bench.node.faults.garbledRpc = "garbled";
      await lookForAMinute();
      bench.node.faults.garbledRpc = null;
      expect(await rows()).to.deep.equal([]);
      await bench.look();
      expect(await bench.status(bad.id)).to.equal("Settled/None");
    });
  });
});
