import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";

const { checkProtos } = require("../../scripts/npm/fetch-protos.cjs") as {
  checkProtos: () => string[];
};
const { copyFiles } = require("../../scripts/npm/copy-files.cjs") as { copyFiles: (out: string) => void };
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
    expect(checkProtos().sort()).to.deep.equal(filesIn(PROTOS));
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
