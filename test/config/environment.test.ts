import { mkdtempSync, rmSync, writeFileSync, mkdirSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { withCredentials } from "../../config/environment";
import { ConfigError, loadConfig, readSettings } from "../../config/load";

const SECRET = "a secret of more than 32 characters!";
const SETTINGS = {
  DATABASE_URL: "postgres://quittance@127.0.0.1/quittance",
  NETWORK: "regtest",
  PUBLIC_URL: "http://127.0.0.1:3000",
};

describe("settings that are systemd's credentials", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "quittance-credentials-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const credential = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  const read = (env: Record<string, string> = {}) => ({ CREDENTIALS_DIRECTORY: folder, ...SETTINGS, ...env });

  it("are read, without the newline at their end", () => {
    credential("APP_SECRET", `${SECRET}\n`);
    expect(loadConfig(read()).APP_SECRET).to.equal(SECRET);
  });

  it("are read from a folder that systemd loads as a whole, which puts its name before each", () => {
    credential("quittance_APP_SECRET", `${SECRET}\n`);
    expect(loadConfig(read()).APP_SECRET).to.equal(SECRET);
    expect(withCredentials(read()).env["APP_SECRET"], "what doctor hides").to.equal(SECRET);
  });

  it("are refused when they are no text", () => {
    writeFileSync(path.join(folder, "APP_SECRET"), Buffer.from([0xff, 0xfe, 0x00]));
    expect(readSettings(read()).problems.join()).to.include("the credential APP_SECRET cannot be read");
  });

  it("change nothing where systemd gives none", () => {
    expect(withCredentials(SETTINGS)).to.deep.equal({ env: SETTINGS, problems: [] });
    expect(withCredentials({ ...SETTINGS, CREDENTIALS_DIRECTORY: "" }).problems).to.deep.equal([]);
  });

  it("are refused when the environment has the setting, too, and neither value is shown", () => {
    credential("APP_SECRET", SECRET);
    const { problems } = readSettings(read({ APP_SECRET: `another ${SECRET}` }));
    expect(problems).to.deep.equal([
      "APP_SECRET is set both in the environment and as a credential: remove one of them",
    ]);
  });

  it("count as not set when they are empty, and then leave the environment's value", () => {
    credential("APP_SECRET", "\n");
    expect(loadConfig(read({ APP_SECRET: SECRET })).APP_SECRET).to.equal(SECRET);
    expect(readSettings(read()).problems.join()).to.match(/^APP_SECRET is missing/);
  });

  it("may be empty in the environment", () => {
    credential("APP_SECRET", SECRET);
    expect(loadConfig(read({ APP_SECRET: "" })).APP_SECRET).to.equal(SECRET);
  });

  it("are refused when a name is no setting, or given twice, or cannot be read: all at once", () => {
    credential("quittance_APP_SECRT", SECRET);
    credential("DATABASE_URL", "postgres://one@127.0.0.1/one");
    credential("quittance_DATABASE_URL", "postgres://two@127.0.0.1/two");
    mkdirSync(path.join(folder, "quittance_REDIS_URL"));
    credential("tls.key", "for another program");
    const { problems } = readSettings({ CREDENTIALS_DIRECTORY: folder, PUBLIC_URL: SETTINGS.PUBLIC_URL });
    expect(problems).to.have.length(5);
    expect(problems[0]).to.include("the credential APP_SECRT is not a setting");
    expect(problems[1]).to.include("DATABASE_URL is given as two credentials");
    expect(problems[2]).to.equal("the credential REDIS_URL cannot be read (EISDIR)");
    expect(problems[3]).to.match(/^NETWORK is missing/);
    expect(problems[4]).to.match(/^APP_SECRET is missing/);
  });

  it("are refused when their folder is not there", () => {
    const env = read({ CREDENTIALS_DIRECTORY: path.join(folder, "gone"), APP_SECRET: SECRET });
    expect(() => loadConfig(env))
      .to.throw(ConfigError)
      .with.property("message")
      .that.includes("CREDENTIALS_DIRECTORY cannot be read (ENOENT)");
  });
});
