import type { DataSource } from "typeorm";
import { checkInvariants } from "./invariants";

const watched = new Set<DataSource>();
const broken: string[] = [];
let running = "(before the first test)";

/** Has the invariants of a test database checked after every test, and before it is closed; `closed` comes after that. */
export function watchInvariants(db: DataSource, closed = (): void => undefined): DataSource {
  const destroy = db.destroy.bind(db);
  watched.add(db);
  db.destroy = async () => {
    await check(db);
    watched.delete(db);
    await destroy();
    closed();
  };
  return db;
}

/** For a test that breaks them on purpose, or takes away rows that they go by: it must say why. */
export function breaksInvariants(db: DataSource, _why: string): void {
  watched.delete(db);
}

/** A database that violated them once would do so after every further test too: it is reported once. */
async function check(db: DataSource): Promise<void> {
  if (!watched.has(db) || !db.isInitialized) return;
  try {
    await checkInvariants(db);
  } catch (error) {
    watched.delete(db);
    broken.push(`after "${running}": ${error instanceof Error ? error.message : String(error)}`);
  }
}

export function testBegins(title: string): void {
  running = title;
}

export async function checkAllInvariants(): Promise<void> {
  for (const db of watched) await check(db);
}

/** Fails the run. Not each test's hook: a root hook that fails would end the run at once. */
export function tellBrokenInvariants(): void {
  watched.clear(); // what a file left open is no business of the next one's
  const told = broken.splice(0);
  if (told.length > 0) throw new Error(told.join("\n\n"));
}
