import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { expect } from "chai";
import type { DataSource } from "typeorm";
import { testDatabase } from "../../support/database";
import { eventually } from "../../support/eventually";
import { acquireLease } from "../../support/leases";

describe("a lease whose process is stopped in mid-transaction", () => {
  let db: DataSource;
  let child: ChildProcess;
  before(async () => {
    db = await testDatabase();
  });
  after(() => db.destroy());
  afterEach(async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });

  it("is taken over within 15 s, and that process can write nothing after it continues", async () => {
    const url = (db.options as { url: string }).url;
    child = fork(path.join(__dirname, "../../support/lease-holder.ts"), [], {
      execArgv: ["--import", "tsx"],
      env: { ...process.env, TEST_DATABASE_URL: url },
    });
    const [inTransaction] = (await once(child, "message")) as [string];
    expect(inTransaction).to.equal("in transaction");
    child.kill("SIGSTOP");
    // Its time is counted in tries, of which a machine that stands still makes none.
    let tries = 0;
    const take = async (): Promise<boolean> => {
      tries += 1;
      return (await acquireLease(db, "watch", "second")) !== null;
    };
    await eventually(take, 45_000, 500);
    expect(tries, "half seconds").to.be.below(30);
    child.kill("SIGCONT");
    const [outcome] = (await once(child, "message")) as [{ first: string; second: string }];
    expect(outcome.second).to.equal("LeaseLostError");
    expect(outcome.first).to.not.equal("committed");
    const [count] = await db.query<{ count: string }[]>(`SELECT count(*) FROM payment_method_syncs`);
    expect(count?.count).to.equal("0");
  });
});
