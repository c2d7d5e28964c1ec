import { connect } from "node:net";
import { once } from "node:events";
import { expect } from "chai";
import { LOGIN_POLICIES } from "../../../adapters/login-limits";
import { entryRoutes } from "../../../api/dashboard/account/entry-routes";
import { parseTrustedProxies } from "../../../domain/client-address";
import { recordingLog } from "../../support/context";
import { eventually } from "../../support/eventually";
import { refusingLimits, startApi, type TestApi } from "../server";
import { buildUser, PASSWORD } from "../../support/factories";

const { limit } = LOGIN_POLICIES.address;
/** Who sends this and is refused for another reason has not been read. */
const UNREADABLE = "{";

describe("dashboard: a flood of anonymous requests", () => {
  const { log, lines } = recordingLog();
  let api: TestApi;
  before(async () => {
    api = await startApi({ parts: { log, trustedProxies: parseTrustedProxies(["127.0.0.1"]) } });
  });
  after(() => api.stop());
  beforeEach(() => api.db.query("DELETE FROM rate_limits"));

  interface ReceivedAnswer {
    status: number;
    code: string;
    bytes: number;
    retryAfter: string | null;
  }
  async function post(path: string, body: string, from: string, base = api.base): Promise<ReceivedAnswer> {
    const response = await fetch(`${base}/api/dashboard${path}`, {
      method: "POST",
      headers: {
        "sec-fetch-site": "same-origin",
        "content-type": "application/json",
        "x-forwarded-for": from,
      },
      body,
    });
    const text = await response.text();
    const { code = "" } = (text === "" ? {} : JSON.parse(text)) as { code?: string };
    return {
      status: response.status,
      code,
      bytes: text.length,
      retryAfter: response.headers.get("retry-after"),
    };
  }
  const unknownFields = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [at.toString(16), 0])));

  it("reads two bytes of a logout, which counts as no try", async () => {
    const told = await post("/logout", '{"a":1}', "192.0.2.99");
    expect([told.status, told.code]).to.deep.equal([413, "body-too-large"]);
    expect((await post("/logout", "{}", "192.0.2.99")).status).to.equal(204);
  });

  it("refuses bodies above 16 KiB on every login route", async () => {
    for (const [at, { path }] of entryRoutes.entries()) {
      const told = await post(path, unknownFields(3_000), `192.0.2.${at + 1}`);
      expect([path, told.status, told.code]).to.deep.equal([path, 413, "body-too-large"]);
    }
  });

  it("refuses every login route with 429 before a body is read when the address has tried too often", async () => {
    const from = "192.0.2.40";
    for (let tries = 0; tries < limit; tries += 10) {
      const told = await Promise.all(Array.from({ length: 10 }, () => post("/login", UNREADABLE, from)));
      expect(new Set(told.map(({ status }) => status))).to.deep.equal(new Set([400]));
    }
    for (const { path, noTry } of entryRoutes) {
      const { status, retryAfter } = await post(path, UNREADABLE, from);
      expect([path, status]).to.deep.equal([path, noTry ? 400 : 429]);
      if (!noTry) expect(Number(retryAfter)).to.be.above(0);
    }
    expect((await post("/login", UNREADABLE, "192.0.2.41")).status).to.equal(400);
  });

  it("refuses logins from a whole IPv6 /48 that has tried too often, and no neighbour's", async () => {
    await api.db.query("INSERT INTO rate_limits (key, points, expire) VALUES ($1, $2, $3)", [
      "quittance:rate:login-network:2001:db8:7::/48",
      LOGIN_POLICIES.network.limit,
      Date.now() + 600_000,
    ]);
    expect((await post("/login", UNREADABLE, "2001:db8:7:ffff::1")).status).to.equal(429);
    expect((await post("/login", UNREADABLE, "2001:db8:8::1")).status).to.equal(400);
  });

  it("counts every login route and unknown cookies among their address's requests, before a body is read", async () => {
    const counted: string[] = [];
    const limits = refusingLimits(counted);
    const trustedProxies = parseTrustedProxies(["127.0.0.1"]);
    const limited = await startApi({ db: api.db, parts: { limits, trustedProxies } });
    try {
      for (const { path } of entryRoutes) {
        const { status, retryAfter } = await post(path, UNREADABLE, "192.0.2.50", limited.base);
        expect([path, status, retryAfter]).to.deep.equal([path, 429, "7"]);
      }
      expect(counted).to.have.length(entryRoutes.length);
      // Its body never comes.
      const socket = connect(limited.listening.port, "127.0.0.1");
      socket.write(
        "PUT /api/dashboard/account/password HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: same-origin\r\n" +
          `Cookie: quittance-session=${"A".repeat(43)}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n`,
      );
      const [answer] = (await once(socket, "data")) as [Buffer];
      socket.destroy();
      expect(answer.toString()).to.match(/^HTTP\/1\.1 429 /);
      expect(counted.at(-1)).to.equal("127.0.0.1");
    } finally {
      await limited.listening.close();
    }
  });

  it("refuses a login with 503 and Retry-After when fifty passwords wait to be checked", async () => {
    const { email } = await buildUser(api.ctx);
    const body = JSON.stringify({ email, password: PASSWORD });
    let full = true;
    const queue = Array.from({ length: 52 }, async () => {
      while (full) await api.ctx.passwords.hash("one of a flood");
    });
    const { status, code, retryAfter } = await post("/login", body, "198.51.100.1");
    full = false;
    expect([status, code, retryAfter]).to.deep.equal([503, "unavailable", "5"]);
    await Promise.all(queue);
    expect((await post("/login", body, "198.51.100.1")).status).to.equal(200);
  });

  it("computes no password for a login whose connection has closed meanwhile", async () => {
    const { email } = await buildUser(api.ctx);
    const body = JSON.stringify({ email, password: "not the right password" });
    const waiting = Array.from({ length: 40 }, (_, at) => {
      const socket = connect(api.listening.port, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.write(
        "POST /api/dashboard/login HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: same-origin\r\n" +
          `X-Forwarded-For: 198.51.100.${at + 101}\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${body.length}\r\n\r\n${body}`,
      );
      return socket;
    });
    lines.length = 0;
    // The first has its turn, and its answer: the others are in the queue behind it.
    await Promise.any(waiting.map((socket) => once(socket, "data")));
    for (const socket of waiting) socket.destroy();
    const ended = () => lines.filter(({ fields }) => fields["path"] === "/api/dashboard/login");
    await eventually(() => expect(ended()).to.have.length(40));
    // How many is the machine's affair: it computes some before the others are closed.
    expect(ended().filter(({ fields }) => fields["status"] === 503)).not.to.deep.equal([]);
  });
});
