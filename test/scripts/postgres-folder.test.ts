import { expect } from "chai";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { startEmbeddedPostgres } from "../../scripts/embedded-postgres";
import { runAs, serverFolder } from "../../scripts/postgres-folder";

const STRANGER = 12_345;

describe("the embedded Postgres's folder, when root starts it", () => {
  let root: string;
  /** Where its user cannot come. */
  let hidden: string;
  /** Where everybody may write. */
  let shared: string;
  before(function () {
    if (process.getuid?.() !== 0) this.skip();
  });
  beforeEach(() => {
    root = mkdtempSync(path.join(os.tmpdir(), "quittance-folder-"));
    chmodSync(root, 0o755);
    hidden = path.join(root, "hidden");
    mkdirSync(hidden, { mode: 0o700 });
    shared = path.join(root, "shared");
    mkdirSync(shared);
    chmodSync(shared, 0o1777);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const folder = (dir: string): string =>
    serverFolder(dir, { as: runAs(), elsewhere: path.join(shared, "quittance-") });
  const standing = (file: string) => {
    const { uid, gid, mode } = statSync(file);
    return [uid, gid, mode];
  };

  it("has a random name and is root's own when its user cannot reach the one asked for, and is found again", () => {
    const dir = path.join(hidden, "postgres");
    const made = folder(dir);
    expect(path.dirname(made)).to.equal(shared);
    expect(standing(made)).to.deep.equal([0, 0, 0o40711]);
    expect(folder(dir)).to.equal(made);
    const other = folder(path.join(hidden, "other"));
    expect(other).not.to.equal(made);
    rmSync(made, { recursive: true });
    expect(folder(dir)).not.to.equal(made);
  });

  const plants: Record<string, (planted: string, victim: string) => void> = {
    "is a link": (planted, victim) => symlinkSync(victim, planted),
    "belongs to another user": (planted) => {
      mkdirSync(planted);
      chownSync(planted, STRANGER, STRANGER);
    },
    "can be written by others": (planted) => {
      mkdirSync(planted);
      chmodSync(planted, 0o777);
    },
  };
  for (const [what, plant] of Object.entries(plants))
    it(`is another one, and nothing that it links to is changed, when it ${what}`, () => {
      const victim = path.join(hidden, "victim");
      mkdirSync(victim, { mode: 0o700 });
      const planted = path.join(shared, "postgres");
      plant(planted, victim);
      const remembering = path.join(hidden, "postgres");
      mkdirSync(remembering);
      writeFileSync(path.join(remembering, "server-folder"), `${planted}\n`);
      const before = [standing(victim), lstatSync(planted).uid, lstatSync(planted).mode];
      for (const dir of [planted, remembering]) {
        const made = folder(dir);
        expect(made).to.match(/\/shared\/quittance-\w+$/);
        expect(standing(made)).to.deep.equal([0, 0, 0o40711]);
      }
      expect([standing(victim), lstatSync(planted).uid, lstatSync(planted).mode]).to.deep.equal(before);
    });

  it("keeps its data over a restart, and its password from the server's user", async function () {
    this.timeout(60_000);
    const dir = path.join(hidden, "postgres");
    const [first, kept] = await startAndStop(dir);
    expect(kept).not.to.equal(path.join(dir, "data"));
    const password = path.join(path.dirname(kept), "password");
    expect(standing(password)).to.deep.equal([0, 0, 0o100600]);
    expect(readFileSync(path.join(dir, "server-folder"), "utf8").trim()).to.equal(path.dirname(kept));
    expect(await startAndStop(dir)).to.deep.equal([first, kept]);
    rmSync(path.dirname(kept), { recursive: true });
  });

  async function startAndStop(dir: string): Promise<[string, string]> {
    const postgres = await startEmbeddedPostgres({ dir });
    await postgres.stop();
    return [new URL(postgres.adminUrl).password, postgres.dataDir];
  }
});
