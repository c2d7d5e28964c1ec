import { PRUNE_FOLLOWED } from "../../../commands/chain/payment-queries";
import { prune } from "../../../commands/installation/prune";
import { expect } from "chai";
import { decideDue } from "../../../commands/invoices/decide-due";
import { readHealth } from "../../../commands/installation/health";
import { isItemFailure } from "../../../database/item-failure";
import { rescanChain } from "../../../commands/chain/rescan-chain";
import { resolveAlertByHand } from "../../../commands/installation/resolve-alert-by-hand";
import { askToRetrySetAside } from "../../../commands/chain/set-aside";
import { SetAside } from "../../../entities/set-aside";
import { ChainBench } from "../../support/chain";
import { mineOutputs } from "../../support/node-tricks";
import { cure as cureIn, poison as poisonIn } from "../../support/poison";

const HALF_A_MINUTE_MS = 31_000;
const TEN_MINUTES_MS = 600_000;

describe("a transaction that cannot be processed", function () {
  this.timeout(60_000);
  let bench: ChainBench;
  beforeEach(async () => {
    bench = await ChainBench.start();
    await bench.look();
  });
  afterEach(() => bench.stop());

  const poison = (condition: string, table = "payments", events = "INSERT OR UPDATE", code?: string) =>
    poisonIn(bench.ctx.db, table, events, condition, code);
  const cure = () => cureIn(bench.ctx.db);
  const rows = () => bench.ctx.db.manager.find(SetAside);
  const setAside = async () => (await rows()).map(({ txid }) => txid);
  const askToRetry = () => askToRetrySetAside(bench.ctx.db.manager);
  const twoPaid = async () => {
    const [bad, good] = [await bench.invoice(), await bench.invoice()];
    return { bad, good };
  };

  it("delays no other transaction of the mempool, nor the check", async () => {
    const { bad, good } = await twoPaid();
    const txid = await bench.node.pay(bad.address, 100_000n);
    await poison(`NEW.txid = '${txid}'`);
    await bench.node.pay(good.address, 100_000n);
    expect((await bench.look()).caughtUp).to.equal(true);
    expect(await bench.status(good.id)).to.equal("Processing/None");
    expect(await setAside()).to.deep.equal([txid]);
    const [alert] = await bench.alerts("set-aside");
    expect(alert).to.deep.include({ severity: "critical", resolvedAt: null });
    expect(alert?.message).to.include(txid).and.include("poison").and.include("cli retry set-aside");
  });

  it("is skipped in its block, and is processed there when it is tried again", async () => {
    const { bad, good } = await twoPaid();
    const txid = await bench.node.pay(bad.address, 100_000n);
    await poison(`NEW.txid = '${txid}'`);
    expect(await bench.look()).to.include({ caughtUp: true });
    await bench.node.pay(good.address, 100_000n);
    await bench.node.mine(1);
    expect((await bench.look()).caughtUp).to.equal(true);
    expect(await bench.status(good.id)).to.equal("Settled/None");
    expect(await bench.status(bad.id)).to.equal("New/None");
    expect((await rows())[0]).to.include({ height: (await bench.cursor())?.height });

    expect(await askToRetry()).to.equal(1);
    await bench.look();
    expect(await setAside(), "fails again").to.have.length(1);
    await cure();
    await bench.look();
    expect(await bench.status(bad.id), "not asked for").to.equal("New/None");
    await askToRetry();
    await bench.look();
    expect(await bench.status(bad.id)).to.equal("Settled/None");
    expect(await rows()).to.deep.equal([]);
    expect((await bench.alerts("set-aside"))[0]?.resolvedAt).to.not.equal(null);
  });

  it("delays no block when it is first seen there", async () => {
    const { bad, good } = await twoPaid();
    const [txid] = await mineOutputs(bench.node, [
      [{ address: bad.address, amountSats: 100_000n }],
      [{ address: good.address, amountSats: 100_000n }],
    ]);
    await poison(`NEW.txid = '${txid}'`);
    const before = (await bench.cursor())?.height ?? 0;
    expect((await bench.look()).caughtUp).to.equal(true);
    expect(await setAside()).to.deep.equal([txid]);
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
    await poison(`NEW.txid = '${again}'`);
    expect(await bench.look()).to.include({ caughtUp: true });
    await bench.node.doubleSpend(first);
    expect(await bench.look()).to.include({ caughtUp: true });
    expect(await bench.alerts("double-spend")).to.have.length(1);
    expect(await bench.status(id)).to.equal("Settled/None");
    await cure();
    await askToRetry();
    await bench.look();
    await bench.node.mine(1);
    await bench.look();
    expect(await bench.events(id)).to.deep.equal(["New/None", "Settled/None"]);
  });

  it("is tried once more when its alert is resolved by hand: one that is gone keeps no invoice Settled", async () => {
    const { id, address, first } = await paidAtOnce();
    const again = await bench.node.pay(address, 100_000n);
    await poison(`NEW.txid = '${again}'`);
    expect(await bench.look()).to.include({ caughtUp: true });
    await cure();
    const elsewhere = { address: await bench.node.newAddress(), amountSats: 50_000n };
    await bench.node.bump(again, { to: [elsewhere] });
    await bench.node.doubleSpend(first);
    await bench.look();
    await decideDue(bench.ctx);
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
    await poison(`NEW.txid = '${txid}'`);
    expect(await bench.look()).to.include({ caughtUp: true });
    await cure();
    await askToRetry();
    await bench.node.mine(1);
    bench.beforeBlock = async () => {
      expect(await setAside(), "holds what it pays").to.deep.equal([txid]);
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
    await poison(`NEW.txid = '${txid}'`);
    expect(await bench.look()).to.include({ caughtUp: true });
    const [alert] = await bench.alerts("set-aside");
    await resolveAlertByHand(bench.ctx, { alertId: alert?.id ?? "" });
    expect((await bench.alerts("set-aside")).filter(({ resolvedAt }) => resolvedAt === null)).to.deep.equal(
      [],
    );
    await bench.look();
    expect(await setAside()).to.deep.equal([txid]);
    expect((await bench.alerts("set-aside")).filter(({ resolvedAt }) => resolvedAt === null)).to.have.length(
      1,
    );
    await cure();
    await askToRetry();
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
    await poison(`NEW.txid = '${bumped}'`);
    expect(await bench.look()).to.include({ caughtUp: true });
    await bench.node.mine(1);
    for (let times = 0; times < 8; times += 1) {
      bench.ctx.clock.advance(4 * HALF_A_MINUTE_MS);
      await bench.look();
    }
    expect((await bench.paymentOf(txid)).state, "the node refuses it").to.equal("evicted");
    await decideDue(bench.ctx);
    expect(await bench.status(id)).to.equal("Processing/None");
    await cure();
    await askToRetry();
    await bench.look();
    expect(await bench.events(id)).to.deep.equal(["New/None", "Processing/None", "Settled/None"]);
  });

  it("is tried again after ten minutes, and by a rescan", async () => {
    const { bad, good } = await twoPaid();
    for (const { address } of [bad, good]) await bench.node.pay(address, 100_000n);
    await poison("TRUE");
    expect(await bench.look()).to.include({ caughtUp: true });
    await bench.node.mine(1);
    await bench.look();
    expect(await setAside()).to.have.length(2);
    const { height = 0 } = (await bench.cursor()) ?? {};
    await cure();
    await poison(`NEW.invoice_id = '${bad.id}'`);
    await rescanChain(bench.ctx, height);
    expect(await setAside(), "the rescan recorded the other").to.have.length(1);
    await cure();
    bench.ctx.clock.advance(TEN_MINUTES_MS + 1_000);
    await bench.look();
    expect(await rows()).to.deep.equal([]);
    for (const { id } of [bad, good]) expect(await bench.status(id)).to.equal("Settled/None");
  });

  it("is tried again after a minute where the retry was interrupted by something else than itself", async () => {
    const { bad } = await twoPaid();
    const txid = await bench.node.pay(bad.address, 100_000n);
    await poison(`NEW.txid = '${txid}'`);
    await bench.look();
    await cure();
    await poison("TRUE", "payments", "INSERT OR UPDATE", "query_canceled");
    bench.ctx.clock.advance(TEN_MINUTES_MS + 1_000);
    await bench.look();
    expect((await rows())[0]?.error).to.include("poison: raise_exception");
    await cure();
    await bench.look();
    expect(await setAside(), "not at once").to.have.length(1);
    bench.ctx.clock.advance(61_000);
    await bench.look();
    expect(await rows()).to.deep.equal([]);
    expect(await bench.status(bad.id)).to.equal("Processing/None");
  });

  it("holds only the expiry of the invoice that it pays, and counts as paid in time when it is tried again", async () => {
    const { bad, good } = await twoPaid();
    const txid = await bench.node.pay(bad.address, 100_000n);
    await poison(`NEW.txid = '${txid}'`);
    expect(await bench.look()).to.include({ caughtUp: true });
    expect((await rows())[0]).to.deep.include({ invoiceIds: [bad.id] });
    const { expiresAt } = bad.view.invoice;
    bench.ctx.clock.advance(
      expiresAt.getTime() - (await bench.ctx.now(bench.ctx.db.manager)).getTime() + 60_000,
    );
    await bench.node.mine(1);
    await bench.look();
    await decideDue(bench.ctx);
    await bench.runJobs();
    expect(await bench.status(good.id)).to.equal("Expired/None");
    expect(await bench.status(bad.id)).to.equal("New/None");
    await cure();
    await askToRetry();
    await bench.look();
    expect(await bench.status(bad.id)).to.equal("Settled/None");
  });

  it("does not delay the chain when it is tried again and the node's answer is invalid", async () => {
    await bench.ctx.db.query(
      `INSERT INTO set_aside (txid, height, block_hash, failed_at, error, retry_asked)
       VALUES ('no txid', 999, 'no hash', now(), 'x', true)`,
    );
    expect(await bench.look()).to.deep.equal({ caughtUp: true });
    expect((await rows())[0]).to.include({ txid: "no txid", retryAsked: false });
  });

  it("is not needed where a block fails whatever its transactions: the chain waits for it, and the mempool is read", async () => {
    await poison("TRUE", "chain_blocks", "INSERT");
    const [mined, unmined] = [await bench.invoice(), await bench.invoice()];
    await bench.node.pay(mined.address, 100_000n);
    await bench.node.mine(1);
    await bench.node.pay(unmined.address, 100_000n);
    expect(await bench.look()).to.include({ caughtUp: false, fault: "behind" });
    expect(await bench.status(unmined.id)).to.equal("Processing/None");
    expect(await rows()).to.deep.equal([]);
    await cure();
    await bench.look();
    expect(await bench.status(mined.id)).to.equal("Settled/None");
  });

  it("is forgotten by a retry when its block never became part of our chain", async () => {
    const never = "f".repeat(64);
    const { height = 0 } = (await bench.cursor()) ?? {};
    await bench.ctx.db.query(
      `INSERT INTO set_aside (txid, height, block_hash, failed_at, error, retry_asked) VALUES ($1, $2, $1, now(), 'poison', true)`,
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
    await poison("NEW.ancestor_txid IS NOT NULL", "payment_inputs", "INSERT");
    await bench.node.reorg(1, { exclude: [txid] });
    await bench.look();
    expect((await bench.cursor())?.hash).to.not.equal(stale);
    expect(await bench.paymentOf(txid)).to.deep.include({ state: "pending", blockHash: null });
    await cure();
    await bench.node.mine(3);
    await bench.look();
    expect(await bench.status(id)).to.equal("Settled/None");
  });

  it("does not prevent undoing a block that its payments cannot leave, and leaves it when it is tried again", async () => {
    const terms = { requiredConfirmations: 2 };
    const [bad, good] = [await bench.invoice(terms), await bench.invoice(terms)];
    const exclude = [
      await bench.node.pay(bad.address, 100_000n),
      await bench.node.pay(good.address, 100_000n),
    ];
    await bench.node.mine(1);
    await bench.look();
    const stale = (await bench.cursor())?.hash;
    await poison(`NEW.invoice_id = '${bad.id}' AND NEW.block_hash IS NULL`);
    await bench.node.reorg(1, { exclude });
    expect(await bench.look()).to.include({ caughtUp: true });
    expect(await setAside()).to.deep.equal([exclude[0]]);
    expect((await bench.payments(good.id)).map(({ blockHash }) => blockHash)).to.deep.equal([null]);
    expect((await bench.payments(bad.id)).map(({ blockHash }) => blockHash)).to.deep.equal([stale]);
    await bench.node.dropFromMempool(exclude[0] ?? "");
    await bench.node.mine(101);
    await bench.look();
    expect(await bench.status(bad.id), "its block is not ours").to.equal("Processing/None");
    await prune(bench.ctx, { keptDays: 90, others: PRUNE_FOLLOWED });
    expect(await bench.rawTransaction(exclude[0] ?? ""), "it may still vanish").to.not.equal(null);
    await cure();
    await askToRetry();
    await bench.look();
    expect((await bench.payments(bad.id)).map(({ blockHash }) => blockHash)).to.deep.equal([null]);
    await bench.node.mine(2);
    await bench.look();
    for (const { id } of [bad, good]) expect(await bench.status(id)).to.equal("Settled/None");
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
    await bench.ctx.db.query(`INSERT INTO set_aside (txid, failed_at, error) VALUES ($1, now(), 'poison')`, [
      txid,
    ]);
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
      await bench.look();
      bench.node.faults.garbledRpc = null;
      expect(await rows()).to.deep.equal([]);
      await bench.look();
      expect(await bench.status(bad.id)).to.equal("Settled/None");
    });
  });
});
