import "reflect-metadata";
import path from "node:path";
import { inspect } from "node:util";
import { readVersion } from "../../adapters/version";
import { stopTestPostgres } from "../support/database";
import { keepSales } from "./keep-sales";
import { keptFolder } from "./kept-database";

// npx tsx test/upgrade/keep.ts [version folder]: sells with this version, and keeps its database and chain in
// test/fixtures/released/<version>/, which all later versions are upgraded from (kept-databases.test.ts). With two
// arguments: with another version, whose compiled code is in that folder.

async function keep([version = readVersion(), build]: readonly string[]): Promise<void> {
  await keepSales(keptFolder(version), build === undefined ? undefined : path.resolve(build));
  await stopTestPostgres();
}

void keep(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${inspect(error)}\n`);
    process.exit(1);
  },
);
