import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { ConfigError, loadConfig } from "../../config/load";
import { lndFileProblems } from "../../config/lnd-files";

const PEM = "-----BEGIN CERTIFICATE-----\nbm8=\n-----END CERTIFICATE-----\n";

describe("LND's files at the start", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "lnd-files-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  function file(name: string, content: string): string {
    writeFileSync(path.join(folder, name), content);
    return path.join(folder, name);
  }
  const problems = (certificate: string, macaroon: string): string[] =>
    lndFileProblems({
      LND_GRPC_URL: "localhost:10009",
      LND_TLS_CERT_FILE: certificate,
      LND_MACAROON_FILE: macaroon,
    });

  it("are no problem when they are there", () => {
    expect(problems(file("tls.cert", PEM), file("macaroon", "x"))).to.deep.equal([]);
    expect(
      lndFileProblems({
        LND_GRPC_URL: "localhost:10009",
        LND_TLS_CERT_HEX: Buffer.from(PEM).toString("hex"),
        LND_MACAROON_HEX: "00",
      }),
    ).to.deep.equal([]);
  });

  it("are each an error of their own when they are missing, empty or something else", () => {
    expect(problems(path.join(folder, "none"), path.join(folder, "none"))).to.deep.equal([
      "LND_TLS_CERT_FILE cannot be read (ENOENT)",
      "LND_MACAROON_FILE cannot be read (ENOENT)",
    ]);
    expect(problems(file("tls.cert", ""), file("macaroon", ""))).to.deep.equal([
      "LND_TLS_CERT_FILE is an empty file",
      "LND_MACAROON_FILE is an empty file",
    ]);
    expect(problems(file("tls.cert", "a key"), folder)).to.deep.equal([
      "LND_TLS_CERT_FILE has no certificate in PEM",
      "LND_MACAROON_FILE cannot be read (EISDIR)",
    ]);
    expect(lndFileProblems({ LND_GRPC_URL: "localhost:10009", LND_TLS_CERT_HEX: "00ff" })[0]).to.contain(
      "LND_TLS_CERT_HEX",
    );
  });

  it("are reported with everything else that prevents a start", () => {
    expect(() =>
      loadConfig({
        DATABASE_URL: "postgres://quittance@127.0.0.1/quittance",
        NETWORK: "regnet",
        PUBLIC_URL: "https://pay.example.com",
        APP_SECRET: "a secret of more than 32 characters!",
        LND_GRPC_URL: "localhost:10009",
        LND_TLS_CERT_FILE: path.join(folder, "none"),
        LND_MACAROON_HEX: "00",
      }),
    )
      .to.throw(ConfigError)
      .with.property("problems")
      .that.satisfies(
        ([network, certificate, ...others]: string[]) =>
          network?.startsWith("NETWORK ") &&
          certificate === "LND_TLS_CERT_FILE cannot be read (ENOENT)" &&
          others.length === 0,
      );
  });

  it("are not read while Lightning is off", () => {
    expect(lndFileProblems({ LND_TLS_CERT_FILE: path.join(folder, "none") })).to.deep.equal([]);
  });
});
