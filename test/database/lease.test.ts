import { expect } from "chai";
import type { DataSource } from "typeorm";
import {
  assertLease,
  LEASE_VALID_SECONDS,
  LeaseLostError,
  releaseLease,
  type Lease,
} from "../../database/lease";
import { testDatabase } from "../support/database";
import { acquireLease, renewLease } from "../support/leases";

async function refusal(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  );
}

describe("a lease", () => {
  let db: DataSource;
  before(async () => {
    db = await testDatabase();
  });
  after(() => db.destroy());
  afterEach(() => db.query("DELETE FROM leases"));

  const acquired = async (holder: string): Promise<Lease> => {
    const lease = await acquireLease(db, "watch", holder);
    if (lease === null) throw new Error("the lease is not free");
    return lease;
  };
  const runOut = (): Promise<unknown> => db.query(`UPDATE leases SET expires_at = clock_timestamp()`);

  it("belongs to exactly one of many processes that ask at once", async () => {
    const leases = await Promise.all(
      Array.from({ length: 8 }, (_, index) => acquireLease(db, "watch", `copy ${index}`)),
    );
    expect(leases.filter((lease) => lease !== null)).to.have.length(1);
  });

  it("belongs to exactly one of many processes that take it over at once, with the next epoch", async () => {
    await acquired("first");
    await runOut();
    const leases = await Promise.all(
      Array.from({ length: 8 }, (_, index) => acquireLease(db, "watch", `copy ${index}`)),
    );
    expect(leases.filter((lease) => lease !== null).map((lease) => lease?.epoch)).to.deep.equal(["2"]);
  });

  it("is free when it expires later than a renewal could make it: the clock was ahead when its holder died", async () => {
    await acquired("first");
    await db.query("UPDATE leases SET expires_at = clock_timestamp() + interval '19 seconds'");
    expect(await acquireLease(db, "watch", "second"), "a clock that was corrected a little").to.equal(null);
    await db.query("UPDATE leases SET expires_at = clock_timestamp() + interval '1 hour'");
    expect((await acquired("second")).epoch).to.equal("2");
  });

  it("is not given away while it is valid, and is valid for ten seconds", async () => {
    const [before] = await db.query<[{ now: Date }]>("SELECT clock_timestamp() AS now");
    await acquired("first");
    const [after] = await db.query<[{ now: Date; expires: Date }]>(
      "SELECT clock_timestamp() AS now, expires_at AS expires FROM leases",
    );
    expect(await acquireLease(db, "watch", "second")).to.equal(null);
    const validMs = LEASE_VALID_SECONDS * 1_000;
    expect(after.expires.getTime() - validMs).to.be.within(before.now.getTime(), after.now.getTime());
  });

  it("is free at once after its release", async () => {
    await releaseLease(db, await acquired("first"));
    expect(await acquired("second")).to.include({ holder: "second", epoch: "2" });
  });

  it("is renewed by its holder, but not after another took it", async () => {
    const lease = await acquired("first");
    await renewLease(db, lease);
    await runOut();
    await acquired("second");
    expect(await refusal(renewLease(db, lease))).to.be.instanceOf(LeaseLostError);
  });

  it("is not released by a former holder", async () => {
    const lease = await acquired("first");
    await runOut();
    await acquired("second");
    await releaseLease(db, lease);
    expect(await acquireLease(db, "watch", "third")).to.equal(null);
  });

  it("refuses a transaction of a holder whose lease has ended", async () => {
    const lease = await acquired("first");
    await runOut();
    expect(await refusal(db.transaction((manager) => assertLease(manager, lease)))).to.be.instanceOf(
      LeaseLostError,
    );
  });

  it("is renewed while a transaction of its holder is under way", async () => {
    const lease = await acquired("first");
    await db.transaction(async (manager) => {
      await assertLease(manager, lease);
      await renewLease(db, lease); // another connection: would wait for ever if it conflicted
    });
  });

  it("is not taken over while a transaction of its holder is under way", async () => {
    const lease = await acquired("first");
    await db.transaction(async (manager) => {
      await assertLease(manager, lease);
      await runOut();
      expect(await acquireLease(db, "watch", "second")).to.equal(null);
    });
    expect((await acquired("second")).epoch).to.equal("2");
  });
});
