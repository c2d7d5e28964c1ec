import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { ChainBlock } from "../../entities/chain-block";
import { ChainBench } from "../support/chain";
import { eventually } from "../support/eventually";

const BLOCKS = 80;

describe("chain-watch, killed repeatedly while it catches up", () => {
  let bench: ChainBench;
  let child: ChildProcess | null = null;
  before(async () => {
    bench = await ChainBench.start();
    await bench.look();
  });
  after(async () => {
    child?.kill("SIGKILL");
    await bench.stop();
  });

  const start = async (): Promise<ChildProcess> => {
    await bench.ctx.db.query(`UPDATE leases SET expires_at = clock_timestamp()`);
    const process_ = fork(path.join(__dirname, "../support/chain-watch-process.ts"), [], {
      execArgv: ["--import", "tsx"],
      env: {
        ...process.env,
        TEST_DATABASE_URL: (bench.ctx.db.options as { url: string }).url,
        TEST_RPC_URL: bench.node.rpcUrl,
      },
    });
    await once(process_, "message");
    return process_;
  };

  it("loses and doubles no payment, and skips no block", async function () {
    this.timeout(120_000);
    const { id, address } = await bench.invoice();
    const txids: string[] = [];
    for (let i = 0; i < BLOCKS; i += 1) {
      txids.push(await bench.node.pay(address, 10_000n));
      if (i % 7 !== 0) await bench.node.mine(1);
    }
    const unmined = txids.filter((txid) => bench.node.core.mempool.entries.has(txid));
    const first = (await bench.cursor())?.height ?? 0;
    const tip = await bench.node.rpc<number>("getblockcount");
    let kills = 0;
    // Killed at ever later moments, so that it dies in the mempool, in a block and between blocks.
    for (; kills < 4 && ((await bench.cursor())?.height ?? 0) < tip; kills += 1) {
      child = await start();
      await sleep(30 + kills * 60);
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    expect(kills, "it died before it was done").to.be.greaterThan(1);
    child = await start();
    await eventually(async () => (await bench.cursor())?.height === tip, 30_000);
    await eventually(async () => (await bench.methodSync())?.caughtUpTo ?? false);
    const payments = await bench.payments(id);
    expect(payments.map((payment) => payment.txid).sort()).to.deep.equal([...txids].sort());
    expect(
      payments.filter((payment) => payment.blockHeight === null).map((payment) => payment.txid),
    ).to.have.members(unmined);
    expect(await bench.ctx.db.manager.count(ChainBlock)).to.equal(tip - first + 1);
  });
});
