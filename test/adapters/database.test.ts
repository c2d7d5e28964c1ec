import { expect } from "chai";
import { makeSecretBox } from "../../adapters/crypto";
import { connectDatabase } from "../../adapters/database";
import { checkInstallation } from "../../commands/installation/check-installation";
import { Installation } from "../../entities/installation";
import type { Network } from "../../domain/network";
import { recordingLog } from "../support/context";
import { testDatabase, testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { freePort } from "../../scripts/devnet/free-port";

const settings = (databaseUrl: string) => ({ databaseUrl, poolMax: 2, applicationName: "test" });

describe("the database", () => {
  it("is waited for while it takes no writes", async () => {
    const { log, lines } = recordingLog();
    const databaseUrl = await testDatabaseUrl();
    const name = new URL(databaseUrl).pathname.slice(1);
    const admin = await testDatabase();
    await admin.query(`ALTER DATABASE "${name}" SET default_transaction_read_only = on`);
    const connecting = connectDatabase(settings(databaseUrl), { log });
    await eventually(() => lines.some(({ message }) => message === "database: waiting for a connection"));
    expect(lines[0]?.fields.reason).to.equal("the database is read-only");
    await admin.query(`ALTER DATABASE "${name}" SET default_transaction_read_only = off`);
    await (await connecting).destroy();
    await admin.destroy();
  });

  it("is not waited for longer than the caller allows", async () => {
    const { log } = recordingLog();
    const nowhere = `postgres://postgres@127.0.0.1:${await freePort()}/none`;
    const failure = await connectDatabase(settings(nowhere), { log, patienceMs: 0 }).catch(
      (error: unknown) => error,
    );
    expect(failure).to.have.property("code", "ECONNREFUSED");
  });

  it("is not waited for when it refuses the password", async () => {
    const { log, lines } = recordingLog();
    const url = new URL(await testDatabaseUrl());
    url.password = "wrong";
    const failure = await connectDatabase(settings(url.href), { log }).catch((error: unknown) => error);
    expect(failure).to.have.property("code", "28P01");
    expect(lines).to.deep.equal([]);
  });
});

describe("an installation", () => {
  it("is recorded once when several processes start at the same time, and belongs to the first", async () => {
    const db = await testDatabase();
    const networks: Network[] = ["regtest", "signet", "regtest", "signet"];
    const box = makeSecretBox({ appSecret: "a secret of more than 32 characters", appSecretOld: undefined });
    const starts = await Promise.allSettled(
      networks.map((network) => checkInstallation(db, { network, ...box })),
    );
    const [row, ...others] = await db.manager.find(Installation);
    expect(others).to.deep.equal([]);
    for (const [index, start] of starts.entries())
      expect(start.status).to.equal(networks[index] === row?.network ? "fulfilled" : "rejected");
    await db.destroy();
  });
});
