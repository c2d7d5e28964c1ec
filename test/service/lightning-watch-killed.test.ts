import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { LightningCursor } from "../../entities/lightning-cursor";
import { Payment } from "../../entities/payment";
import { eventually } from "../support/eventually";
import { buildInvoice, buildStore } from "../support/factories";
import { LightningBench, lndSettingsOf } from "../support/lightning";

const INVOICES = 100;

describe("lightning-watch, killed repeatedly while payments come", () => {
  let bench: LightningBench;
  let child: ChildProcess | null = null;
  beforeEach(async () => {
    bench = await LightningBench.start();
  });
  afterEach(async () => {
    child?.kill("SIGKILL");
    await bench.stop();
  });

  const start = async (): Promise<ChildProcess> => {
    await bench.ctx.db.query(`UPDATE leases SET expires_at = clock_timestamp()`);
    const process_ = fork(path.join(__dirname, "../support/lightning-watch-process.ts"), [], {
      execArgv: ["--import", "tsx"],
      env: {
        ...process.env,
        TEST_DATABASE_URL: (bench.ctx.db.options as { url: string }).url,
        TEST_LND: JSON.stringify(lndSettingsOf(bench.node.grpc)),
      },
    });
    await once(process_, "message");
    return process_;
  };
  const cursor = async (): Promise<bigint> =>
    (await bench.ctx.db.manager.findOneBy(LightningCursor, {}))?.settleIndex ?? 0n;

  it("loses and doubles no payment, and its cursor never runs ahead of them", async function () {
    this.timeout(240_000);
    const store = await buildStore(bench.ctx);
    await bench.ctx.db.query("INSERT INTO store_payment_methods (store_id, type) VALUES ($1, 'BTC-LN')", [
      store.id,
    ]);
    const unpaid: string[] = [];
    for (let i = 0; i < INVOICES; i += 1) {
      const { methods } = await buildInvoice(bench.ctx, {
        store,
        amount: "1000",
        paymentMethods: ["BTC-LN"],
      });
      unpaid.push(methods.find(({ type }) => type === "BTC-LN")?.destination ?? "");
    }
    const payments = () => bench.ctx.db.manager.count(Payment);
    const kill = async (process_: ChildProcess): Promise<void> => {
      process_.kill("SIGKILL");
      await once(process_, "exit");
    };
    // From here on LND has a backlog to send; before, nothing was read and it sends none.
    child = await start();
    await eventually(async () => {
      await bench.node.pay(unpaid.pop() ?? "");
      await eventually(async () => (await cursor()) > 0n, 1_000);
    }, 30_000);
    await kill(child);
    // What was paid before LND was listened to has no place in the backlog: a look-up finds it, at any time.
    const unheard = INVOICES - unpaid.length - (await payments());
    let kills = 0;
    let diedEarly = 0;
    // Killed at ever later moments: in the first sweep, in the backlog and between events.
    while (unpaid.length > 0) {
      child = await start();
      const paying = Promise.all(unpaid.splice(0, 15).map((bolt11) => bench.node.pay(bolt11)));
      await sleep(20 + kills * 120);
      await kill(child);
      await paying;
      kills += 1;
      if ((await payments()) < INVOICES - unpaid.length) diedEarly += 1;
      expect(Number(await cursor()), "each index below the cursor has its payment").to.be.at.most(
        (await payments()) + unheard,
      );
    }
    expect(diedEarly, "it died before it was done").to.be.greaterThan(0);
    child = await start();
    await eventually(async () => expect(await payments()).to.equal(INVOICES), 30_000);
    // A look-up of what was not heard sets it back, and the next sweep, a minute later, has it read anew.
    await eventually(async () => expect(await cursor()).to.equal(BigInt(INVOICES)), 90_000);
  });
});
