import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import fc from "fast-check";
import { BackupFileError, type BackupHeader, END_OF_ROWS } from "../../adapters/backup-file/format";
import { readBackupHeader, verifyBackupFile } from "../../adapters/backup-file/read-backup-file";
import { LineScanner } from "../../adapters/backup-file/scan-lines";
import { writeBackupFile } from "../../adapters/backup-file/write-backup-file";
import { makeSecretBox } from "../../adapters/crypto";

const HEADER: BackupHeader = {
  quittanceBackup: 1,
  version: "1.0.0",
  takenAt: "2026-01-01T00:00:00.000Z",
  network: "regtest",
  secretCheck: "AAAA",
  migrations: ["InitialSchema1766000000001"],
  wallets: [],
  chainHeight: null,
};
const TABLE = { name: "things", columns: ["id", "text"] };
const secrets = makeSecretBox({ appSecret: "a secret of the tests with more than 32 characters" });

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe("the file of a backup", () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "quittance-backup-file-"));
    file = path.join(folder, "a.backup");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (rowsOf: () => AsyncIterable<Buffer>): Promise<{ rows: number; bytes: number }> =>
    writeBackupFile({
      file,
      header: HEADER,
      snapshot: { tables: [TABLE], rowsOf },
      secrets,
      progress: () => undefined,
    });

  it("has its name once it is complete, and until then only another one", async () => {
    const seen: string[][] = [];
    const { rows } = await write(async function* () {
      yield Buffer.from("1\ta\n2\tb");
      seen.push(readdirSync(folder));
      yield Buffer.from("\n");
    });
    expect(seen).to.have.lengthOf(1);
    expect(seen[0]).not.to.include("a.backup");
    expect(readdirSync(folder)).to.deep.equal(["a.backup"]);
    expect(rows).to.equal(2);
    expect(await readBackupHeader(file)).to.deep.equal(HEADER);
    expect(await verifyBackupFile(file, secrets)).to.equal(2);
  });

  it("is not there, nor anything else, when the database fails in the middle", async () => {
    const failure: unknown = await write(async function* () {
      yield Buffer.from("1\ta\n");
      throw new Error("the database went away");
    }).catch((error: unknown) => error);
    expect(String(failure)).to.include("the database went away");
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it("is refused when its trailer was made under another secret", async () => {
    await write(async function* () {
      yield Buffer.from("1\ta\n");
    });
    const other = makeSecretBox({ appSecret: "another secret of the tests with more than 32 characters" });
    const failure: unknown = await verifyBackupFile(file, other).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(BackupFileError);
    expect(String(failure)).to.include("altered");
  });

  it("is refused when a line without an end is longer than any header", async function () {
    this.timeout(120_000);
    writeFileSync(file, gzipSync(Buffer.alloc(65 * 1024 * 1024, "a"), { level: 1 }));
    const failure: unknown = await readBackupHeader(file).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(BackupFileError);
    expect(String(failure)).to.include("not a backup");
  });

  it("gives back rows of any kind, however they are cut into chunks", async () => {
    const row = fc.stringMatching(/^[\\.\tNa]{0,6}$/).filter((text) => text !== "\\.");
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 6 }),
        fc.integer({ min: 1, max: 9 }),
        async (lines, size) => {
          const rows = lines.map((line) => `${line}\n`).join("");
          const bytes = Buffer.from(`first\n${rows}${END_OF_ROWS}last\n`);
          const hash = createHash("sha256");
          const scanner = new LineScanner(chunksOf(bytes, size), hash);
          expect(await scanner.line(() => true)).to.equal("first");
          const read: Buffer[] = [];
          for await (const piece of scanner.rows()) read.push(piece);
          expect(Buffer.concat(read).toString()).to.equal(rows);
          expect(await scanner.line(() => false)).to.equal("last");
          expect(await scanner.isAtEnd()).to.equal(true);
          const hashed = createHash("sha256").update(bytes.subarray(0, -"last\n".length));
          expect(hash.digest("hex")).to.equal(hashed.digest("hex"));
        },
      ),
    );
  });
});
