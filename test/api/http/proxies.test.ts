import { expect } from "chai";
import { watchProxies } from "../../../api/http/proxy-watch";
import { cameByUnnamedProxy, parseTrustedProxies } from "../../../domain/client-address";
import { recordingLog } from "../../support/context";
import { startApi, type TestApi } from "../server";

const PUBLIC_URL = "https://pay.example";
const REASON = /TRUST_PROXY.*lock all others out/;

describe("API: behind a reverse proxy", () => {
  let api: TestApi | undefined;
  afterEach(async () => {
    await api?.stop();
    api = undefined;
  });

  async function start(publicUrl: string, trusted: string[]) {
    const { log, lines } = recordingLog();
    const trustedProxies = parseTrustedProxies(trusted);
    const proxies = watchProxies({ publicUrl, trustedProxies, log });
    const started = await startApi({ parts: { publicUrl, trustedProxies, proxies } });
    api = started;
    const health = async (headers: Record<string, string> = {}) => {
      const { json } = await started.call("GET", "/health", { headers });
      return json.checks.workers.reason ?? "";
    };
    return { health, lines };
  }

  it("logs at the start, and reports in health, that PUBLIC_URL is https and no proxy is named", async () => {
    const { health, lines } = await start(PUBLIC_URL, []);
    expect(lines.map(({ level }) => level)).to.deep.equal(["warn"]);
    expect(lines[0]?.message).to.match(REASON);
    expect(await health()).to.match(REASON);
  });

  it("reports nothing when the proxy is named, or browsers come without one", async () => {
    const named = await start(PUBLIC_URL, ["127.0.0.1"]);
    expect(await named.health({ "x-forwarded-for": "192.0.2.1" })).not.to.match(REASON);
    expect(named.lines).to.deep.equal([]);
    await api?.stop();
    const direct = await start("http://pay.example", []);
    expect(await direct.health()).not.to.match(REASON);
    expect(direct.lines).to.deep.equal([]);
  });

  it("reports once when X-Forwarded-For comes from a near proxy that is not named, without an address in health", async () => {
    const { health, lines } = await start(PUBLIC_URL, ["10.0.0.0/8"]);
    expect(await health()).not.to.match(REASON);
    for (let request = 0; request < 3; request += 1) await health({ "x-forwarded-for": "192.0.2.1" });
    expect(await health())
      .to.match(REASON)
      .and.not.to.match(/\d+\.\d+/);
    expect(lines.map(({ level, fields }) => [level, fields])).to.deep.equal([
      ["warn", { proxy: "127.0.0.1" }],
    ]);
  });

  it("trusts the header as a proxy's from loopback and private networks only", () => {
    const trusted = parseTrustedProxies(["10.1.0.0/16"]);
    const unnamed = (remote: string, forwardedFor: string | undefined = "192.0.2.1") =>
      cameByUnnamedProxy(remote, forwardedFor, trusted);
    for (const remote of [
      "127.0.0.1",
      "::1",
      "10.2.0.1",
      "172.18.0.2",
      "192.168.1.1",
      "fd00::1",
      "::ffff:10.2.0.1",
    ])
      expect(unnamed(remote), remote).to.equal(true);
    for (const remote of ["10.1.2.3", "203.0.113.5", "2001:db8::1", "nonsense"])
      expect(unnamed(remote), remote).to.equal(false);
    expect(cameByUnnamedProxy("127.0.0.1", undefined, trusted)).to.equal(false);
  });
});
