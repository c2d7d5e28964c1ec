import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";

const { copyFiles } = require("../../scripts/npm/copy-files.cjs") as { copyFiles: (out: string) => void };
/**
 * SHA-256 of the files of LND v0.20.0-beta: its LICENSE, and of lnrpc/ those beside it and invoicesrpc/. For another
 * version copy both from a checkout of a tag whose signature you have verified.
 */
const HASHES: Record<string, string> = {
  LICENSE: "7ebd67c52a36357cb0c6c5e903ece047b195a6b8b04c6e7a8c820e01c884581c",
  "lightning.proto": "8de51253eaa478175ab21be522862cfa33c07d9dc390d7aa4544bf4220ac4f3a",
  "stateservice.proto": "e7c9e1083804c5510874a4e549e3a26864e91892c830921e82d555e469f97242",
  "invoicesrpc/invoices.proto": "1724f72aa2ed070c8978f5e8a40bc828a2859bbf5a56274ffa1577a65f3f05e7",
};
const PROTOS = path.join(__dirname, "../../adapters/lnd/protos");

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();

describe("LND's descriptions of its gRPC", () => {
  let dir: string;
  beforeEach(() => (dir = mkdtempSync(path.join(os.tmpdir(), "quittance-protos-"))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it("are LND's, byte for byte, and the only files", () => {
    const found = filesIn(PROTOS).map((name) => {
      const content = readFileSync(path.join(PROTOS, name));
      return [name, createHash("sha256").update(content).digest("hex")];
    });
    expect(Object.fromEntries(found)).to.deep.equal(HASHES);
  });

  it("are copied beside the compiled code, again when they differ", () => {
    const target = path.join(dir, "adapters/lnd/protos");
    copyFiles(dir);
    rmSync(path.join(target, "stateservice.proto"));
    copyFiles(dir);
    expect(filesIn(target)).to.deep.equal(filesIn(PROTOS));
  });

  it("are copied with the samples of the API reference", () => {
    copyFiles(dir);
    const docs = path.join(__dirname, "../../docs");
    for (const folder of ["samples", "receivers"])
      expect(filesIn(path.join(dir, "docs", folder))).to.deep.equal(filesIn(path.join(docs, folder)));
  });
});
