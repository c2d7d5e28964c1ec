import { expect } from "chai";
import { ConfigError, parseConfig } from "../../config/load";

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

  it("wants REDIS_URL beside a queue's own Redis, and a URL of Redis in each, all said at once", () => {
    const own = { REDIS_URL_WEBHOOK_DELIVERY: "rediss://a:6379", REDIS_URL_RECONCILE: "http://b" };
    const problems = problemsOf(own);
    expect(problems).to.have.length(3);
    expect(problems.join("\n")).to.match(
      /^REDIS_URL_RECONCILE must be a URL .*\nREDIS_URL_WEBHOOK_DELIVERY is set but REDIS_URL, .*\nREDIS_URL_RECONCILE is set but REDIS_URL, /s,
    );
    const { REDIS_URL_WEBHOOK_DELIVERY } = own;
    expect(problemsOf({ REDIS_URL: "redis://c", REDIS_URL_WEBHOOK_DELIVERY })).to.deep.equal([]);
  });

  it("refuses a PUBLIC_URL without TLS on mainnet", () => {
    expect(problemsOf({ PUBLIC_URL: "http://pay.example.com" }).join()).to.contain("https://");
    expect(problemsOf({ PUBLIC_URL: "http://pay.example.com", NETWORK: "testnet4" })).to.deep.equal([]);
  });

  it("wants SMTP_URL to say from whom and to whom", () => {
    const smtp = "smtps://user:password@mail.example.com";
    expect(problemsOf({ SMTP_URL: smtp })).to.have.length(2);
    expect(problemsOf({ SMTP_URL: `${smtp}?from=pay@example.com` }).join()).to.contain(
      "SMTP_URL does not say to whom",
    );
    expect(problemsOf({ SMTP_URL: `${smtp}?from=pay@example.com&to=ops@example.com` })).to.deep.equal([]);
  });

  it("refuses a simulated customer on every network but regtest, and says why", () => {
    const TEST_CUSTOMER_URL = "http://127.0.0.1:3099/customer";
    for (const NETWORK of ["mainnet", "testnet4", "signet"]) {
      const problems = problemsOf({ TEST_CUSTOMER_URL, NETWORK });
      expect(problems).to.have.length(1);
      expect(problems[0])
        .to.contain(`TEST_CUSTOMER_URL is for NETWORK=regtest alone, and NETWORK is ${NETWORK}`)
        .and.not.to.contain(TEST_CUSTOMER_URL);
    }
    expect(problemsOf({ TEST_CUSTOMER_URL, NETWORK: "regtest" })).to.deep.equal([]);
    expect(problemsOf({ TEST_CUSTOMER_URL: "", NETWORK: "mainnet" })).to.deep.equal([]);
    expect(problemsOf({ TEST_CUSTOMER_URL: "file:///x", NETWORK: "regtest" }).join()).to.contain("http://");
  });
});
