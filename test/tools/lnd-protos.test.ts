import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";

const { checkProtos, fetchProtos } = require("../../scripts/npm/fetch-protos.cjs") as {
  checkProtos: (target?: string) => string[];
  fetchProtos: (source: string, target: string) => Promise<void>;
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
  let server: Server;
  let source: string;
  let damaged: string;
  beforeEach(async () => {
    dir = mkdtempSync(path.join(os.tmpdir(), "quittance-protos-"));
    damaged = "";
    server = createServer(({ url = "" }, response) => {
      const file = path.join(PROTOS, url.replace("/lnrpc/", "/"));
      if (!existsSync(file)) return void response.writeHead(404).end();
      response.end(url === damaged ? `${readFileSync(file, "utf8")} ` : readFileSync(file));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    source = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it("are LND's, byte for byte, and the only files", () => {
    expect(checkProtos().sort()).to.deep.equal(filesIn(PROTOS));
  });

  it("are fetched completely", async () => {
    await fetchProtos(source, dir);
    expect(checkProtos(dir).sort()).to.deep.equal(filesIn(dir));
  });

  it("are refused with a changed byte or a missing file, and nothing is written then", async () => {
    damaged = "/lnrpc/invoicesrpc/invoices.proto";
    for (const from of [source, `${source}/elsewhere`]) {
      const error: unknown = await fetchProtos(from, dir).catch((thrown: unknown) => thrown);
      expect(String(error)).to.match(/invoices\.proto of v\S+ has the SHA-256|LICENSE answered 404/);
    }
    expect(filesIn(dir)).to.deep.equal([]);
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
