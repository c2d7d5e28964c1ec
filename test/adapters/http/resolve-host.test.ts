import { writeFile } from "node:fs/promises";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { makeResolve } from "../../../adapters/http/resolve-host";
import { eventually } from "../../support/eventually";
import { type DnsServer, startDnsServer } from "../../support/dns-server";

describe("resolving the host of a webhook", () => {
  const names: Record<string, readonly string[] | null> = {
    "both.test": ["198.51.100.7", "198.51.100.8", "2001:db8::7"],
    "four.test": ["198.51.100.9"],
    "six.test": ["2001:db8::9"],
    "empty.test": [],
    single: ["198.51.100.1"],
  };
  let dns: DnsServer;
  before(async () => {
    dns = await startDnsServer((name) => (name.endsWith(".silent.test") ? null : names[name]));
  });
  after(() => dns.close());

  const folder = () => mkdtempSync(join(tmpdir(), "hosts-"));
  async function hosts(text: string): Promise<string> {
    const file = join(folder(), "hosts");
    await writeFile(file, text);
    return file;
  }
  const resolver = (hostsFile = "/nowhere/hosts") => makeResolve({ servers: [dns.address], hostsFile });
  async function failure(host: string): Promise<unknown> {
    return resolver()(host).then(
      () => "resolved",
      (error: { errorCode?: unknown }) => error.errorCode,
    );
  }

  it("answers with all addresses of both kinds", async () => {
    expect(await resolver()("both.test")).to.deep.equal(names["both.test"]);
    expect(await resolver()("four.test")).to.deep.equal(names["four.test"]);
    expect(await resolver()("six.test")).to.deep.equal(names["six.test"]);
  });

  it("fails as dns-failed when a name does not exist, or has no address", async () => {
    expect(await failure("nowhere.test")).to.equal("dns-failed");
    expect(await failure("empty.test")).to.equal("dns-failed");
  });

  it("queries names as they are, without search domains", async () => {
    expect(await resolver()("single")).to.deep.equal(names["single"]);
    await failure("intranet");
    expect([...dns.asked.keys()].filter((name) => name.startsWith("intranet"))).to.deep.equal(["intranet"]);
  });

  it("reads the hosts file first, and again when it has changed", async () => {
    const file = await hosts(
      "# mine\n127.0.0.5 shop.test SHOP2.test # both\n::5\tshop.test\nnonsense four.test\n",
    );
    const resolve = resolver(file);
    expect(await resolve("shop.test")).to.deep.equal(["127.0.0.5", "::5"]);
    expect(await resolve("Shop2.test.")).to.deep.equal(["127.0.0.5"]);
    expect(await resolve("four.test")).to.deep.equal(names["four.test"]);
    await writeFile(file, "127.0.0.66 four.test\n");
    expect(await resolve("four.test")).to.deep.equal(["127.0.0.66"]);
  });

  it("asks no name server for localhost", async () => {
    expect(await resolver()("localhost")).to.deep.equal(["127.0.0.1", "::1"]);
    expect(await resolver()("evil.localhost")).to.deep.equal(["127.0.0.1", "::1"]);
    expect(await resolver(await hosts("127.0.0.9 localhost"))("localhost")).to.deep.equal(["127.0.0.9"]);
    expect([...dns.asked.keys()].filter((name) => name.includes("localhost"))).to.deep.equal([]);
  });

  it("answers for other names at once while 50 names' servers never answer, and ends those at its deadline", async () => {
    const resolve = resolver();
    const begun = performance.now();
    let ended = 0;
    const dead = Array.from({ length: 50 }, (_, at) =>
      resolve(`a${at}.silent.test`)
        .catch(() => "failed")
        .finally(() => (ended += 1)),
    );
    await eventually(() =>
      expect([...dns.asked.keys()].filter((name) => name.endsWith(".silent.test"))).to.have.length(50),
    );
    expect(await resolve("both.test")).to.deep.equal(names["both.test"]);
    expect(ended, "look-ups for which it waited").to.equal(0);
    expect(new Set(await Promise.all(dead))).to.deep.equal(new Set(["failed"]));
    expect(performance.now() - begun).to.be.within(1_000, 20_000); // by c-ares's own times it is more than a minute
  });

  it("shares a look-up under way among all callers of one name", async () => {
    const resolve = resolver();
    dns.asked.clear();
    await Promise.all([resolve("both.test"), resolve("both.test"), resolve("both.test")]);
    const asked = dns.asked.get("both.test") ?? 0;
    // One for each kind of address; on a busy machine each may be sent twice. Three look-ups would be six or more.
    expect(asked).to.be.within(2, 4);
    await resolve("both.test");
    expect(dns.asked.get("both.test")).to.be.at.least(asked + 2);
  });
});
