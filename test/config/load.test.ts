import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { ConfigError, parseConfig, readEnvironment } from "../../config/load";

const GOOD = {
  DATABASE_URL: "postgres://quittance@127.0.0.1/quittance",
  NETWORK: "mainnet",
  PUBLIC_URL: "https://pay.example.com",
  APP_SECRET: "a secret of more than 32 characters!",
};

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    parseConfig({ ...GOOD, ...env });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems;
  }
}

describe("parseConfig", () => {
  it("names every problem at once, and no secret", () => {
    const problems = problemsOf({ APP_SECRET: "short-secret", NETWORK: "main", PUBLIC_URL: "ftp://x" });
    expect(problems).to.have.length(3);
    for (const [index, name] of ["NETWORK", "PUBLIC_URL", "APP_SECRET"].entries())
      expect(problems[index]).to.match(new RegExp(`^${name} `));
    expect(problems.join()).to.not.contain("short-secret");
  });

  it("says which entries of a list of addresses are wrong", () => {
    const problems = problemsOf({ TRUST_PROXY: "localhost,10.0.0.1", WEBHOOK_ALLOWED_CIDRS: "lan" });
    expect(problems[0]).to.match(/^TRUST_PROXY names "localhost", which is not an address or range; write /);
    expect(problems[1]).to.match(/^WEBHOOK_ALLOWED_CIDRS names "lan", which is not an address range; write /);
  });

  it("names the setting whose URL has a bare percent sign, and how to write it", () => {
    for (const [name, value] of [
      ["DATABASE_URL", "postgres://shop:50%off@127.0.0.1:5432/quittance"],
      ["REDIS_URL", "redis://:50%off@127.0.0.1"],
      ["BITCOIND_RPC_URL", "http://u:50%off@127.0.0.1:8332"],
    ] as const) {
      const problems = problemsOf({ [name]: value });
      expect(problems).to.have.length(1);
      expect(problems[0])
        .to.match(new RegExp(`^${name} has a % .* %25`))
        .and.not.include("50%off");
    }
    expect(problemsOf({ REDIS_URL: "redis://:50%25off@127.0.0.1" })).to.deep.equal([]);
  });

  it("names the driver's mode of TLS, so that it warns of none", () => {
    const read = (query: string) =>
      parseConfig({ ...GOOD, DATABASE_URL: GOOD.DATABASE_URL + query }).DATABASE_URL;
    for (const mode of ["prefer", "require", "verify-ca", "verify-full"])
      expect(read(`?sslmode=${mode}&x=1`)).to.match(/\?sslmode=verify-full&x=1$/);
    for (const query of [
      "",
      "?sslmode=disable",
      "?sslmode=no-verify",
      "?uselibpqcompat=true&sslmode=require",
    ])
      expect(read(query)).to.equal(GOOD.DATABASE_URL + query);
  });

  it("says where settings are read from", () => {
    expect(() => parseConfig({}))
      .to.throw(ConfigError)
      .with.property("message")
      .that.matches(
        /^The configuration has \d problems:\n.*DATABASE_URL is missing.*\n.*\.env\.example describes them\.$/s,
      );
  });

  it("accepts a hidden service as PUBLIC_URL on mainnet without TLS", () => {
    const onion = "http://quittanceexamplexquittanceexamplexquittanceexamplexabcd.onion";
    expect(problemsOf({ PUBLIC_URL: onion })).to.deep.equal([]);
    expect(problemsOf({ PUBLIC_URL: "http://pay.example/.onion" })).to.have.length(1);
  });

  it("refuses a block explorer that is no page of the web", () => {
    expect(problemsOf({ EXPLORER_TX_URL: "javascript:alert(1)//" }).join()).to.match(/^EXPLORER_TX_URL /);
    expect(problemsOf({ EXPLORER_TX_URL: "https://mempool.example.com/tx/" })).to.deep.equal([]);
  });

  it("refuses a PUBLIC_URL without TLS on mainnet", () => {
    expect(problemsOf({ PUBLIC_URL: "http://pay.example.com" }).join()).to.contain("https://");
    expect(problemsOf({ PUBLIC_URL: "http://pay.example.com", NETWORK: "testnet4" })).to.deep.equal([]);
  });

  it("requires a sender and a receiver with SMTP_URL", () => {
    const smtp = "smtps://user:password@mail.example.com";
    expect(problemsOf({ SMTP_URL: smtp })).to.have.length(2);
    expect(problemsOf({ SMTP_URL: `${smtp}?from=pay@example.com` }).join()).to.contain("SMTP_URL has no to");
    expect(problemsOf({ SMTP_URL: `${smtp}?from=pay@example.com&to=ops@example.com` })).to.deep.equal([]);
  });

  it("refuses a simulated customer on every network but regtest, with the reason", () => {
    const TEST_CUSTOMER_URL = "http://127.0.0.1:3099/customer";
    for (const NETWORK of ["mainnet", "testnet4", "signet"]) {
      const problems = problemsOf({ TEST_CUSTOMER_URL, NETWORK });
      expect(problems).to.have.length(1);
      expect(problems[0])
        .to.contain(`TEST_CUSTOMER_URL is for NETWORK=regtest only, and NETWORK is ${NETWORK}`)
        .and.not.to.contain(TEST_CUSTOMER_URL);
    }
    expect(problemsOf({ TEST_CUSTOMER_URL, NETWORK: "regtest" })).to.deep.equal([]);
    expect(problemsOf({ TEST_CUSTOMER_URL: "", NETWORK: "mainnet" })).to.deep.equal([]);
    expect(problemsOf({ TEST_CUSTOMER_URL: "file:///x", NETWORK: "regtest" }).join()).to.contain("http://");
  });
});

describe("readEnvironment", () => {
  let dir: string;
  beforeEach(() => (dir = mkdtempSync(path.join(os.tmpdir(), "quittance-env-"))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const read = (text: string): Readonly<Record<string, string | undefined>> => {
    writeFileSync(path.join(dir, ".env"), text);
    return readEnvironment(path.join(dir, ".env"));
  };

  it("reads a .env with a byte order mark, as editors on Windows write it", () => {
    expect(read("\ufeffA_KEY=1\r\n")["A_KEY"]).to.equal("1");
  });

  for (const [line, value] of [
    ["A_KEY=plain", "plain"],
    ["A_KEY = spaces around ", "spaces around"],
    ["export A_KEY=exported", "exported"],
    ["A_KEY=cut # a comment", "cut"],
    ["A_KEY=http://user:pa=ss@host:1/?a=b", "http://user:pa=ss@host:1/?a=b"],
    ["A_KEY='# kept $AS it is\\n'", "# kept $AS it is\\n"],
    ['A_KEY="# kept, in\\ntwo lines"', "# kept, in\ntwo lines"],
    ['A_KEY="in\ntwo lines"', "in\ntwo lines"],
    ["A_KEY=`of \"both\" 'kinds'`", "of \"both\" 'kinds'"],
    ["A_KEY=first\r\nA_KEY=last\r\n", "last"],
    ["A_KEY=", ""],
    ["# A_KEY=commented out", undefined],
  ] as const)
    it(`reads ${JSON.stringify(line)} of .env`, () => {
      expect(read(`# A comment\n\n${line}\nOTHER_KEY=1\n`)).to.include({ OTHER_KEY: "1" });
      expect(read(`# A comment\n\n${line}\nOTHER_KEY=1\n`)["A_KEY"]).to.equal(value);
    });

  it("prefers the process environment, and needs no .env", () => {
    const home = process.env["HOME"];
    expect(read("HOME=/of/the/file\nA_KEY=1")).to.include({ HOME: home, A_KEY: "1" });
    expect(readEnvironment(path.join(dir, "none"))["HOME"]).to.equal(home);
  });
});
