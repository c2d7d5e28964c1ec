import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import net, { type AddressInfo, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import { makeWebhookClient, type WebhookClientOptions } from "../../../adapters/http/webhook-client";
import type { WebhookRequest } from "../../../commands/ports";
import { DomainError } from "../../../domain/errors";
import { parseAllowedCidrs } from "../../../domain/webhook/address";
import { eventually } from "../../support/eventually";

const TLS = join(__dirname, "../../support/tls");
const pem = (file: string) => readFileSync(join(TLS, file), "utf8");
const BODY = Buffer.from(
  '{"type":"New","invoiceId":"inv_a","metadata":{"orderId":"é"},"additionalStatus":"None"}',
);

const resolvesTo =
  (...addresses: string[]) =>
  () =>
    Promise.resolve(addresses);

/** Fails the test instead of answering: for hosts that must not be looked up. */
const noResolver = (host: string): Promise<string[]> => Promise.reject(new Error(`${host} was looked up`));

describe("webhook client", () => {
  const open: { server: Server; sockets: Set<Socket> }[] = [];

  async function listen(server: Server, host = "127.0.0.1"): Promise<number> {
    const sockets = new Set<Socket>();
    server.on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      socket.on("error", () => undefined);
    });
    open.push({ server, sockets });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, host, resolve);
    });
    return (server.address() as AddressInfo).port;
  }

  afterEach(async () => {
    for (const { server, sockets } of open.splice(0)) {
      for (const socket of sockets) socket.destroy();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    }
  });

  const connections = () => open.reduce((sum, { sockets }) => sum + sockets.size, 0);

  /** So patient that a busy machine misses no answer: a test whose endpoint gives none sets a deadline of its own. */
  function client(changes: Partial<WebhookClientOptions> = {}) {
    return makeWebhookClient({
      network: "regtest",
      allowedCidrs: parseAllowedCidrs(["127.0.0.0/8"]),
      metrics: { webhook: () => undefined },
      ...changes,
    });
  }

  const send = (
    url: string,
    { deadlineMs = 30_000, ...changes }: Partial<WebhookClientOptions & WebhookRequest> = {},
  ) =>
    client(changes).sendWebhook({
      url,
      headers: { "Content-Type": "application/json", "X-Service-Sig": "sha256=00" },
      body: BODY,
      deadlineMs,
    });

  /** Of an answer without an end: time enough for its beginning. */
  const sendForAWhile = (url: string) => send(url, { deadlineMs: 10_000 });

  const answering = (status: number, body = "", headers: http.OutgoingHttpHeaders = {}) =>
    http.createServer((_, response) => response.writeHead(status, headers).end(body));

  /** A server that says these bytes once it was spoken to, and then nothing. */
  const saying = (text: string) =>
    net.createServer((socket) => socket.once("data", () => socket.write(text)));

  describe("the request", () => {
    it("is a POST with the given headers and exactly the given bytes, on a connection that is not reused", async () => {
      const chunks: Buffer[] = [];
      let seen: http.IncomingMessage | undefined;
      const port = await listen(
        http.createServer((request, response) => {
          seen = request;
          request.on("data", (chunk: Buffer) => chunks.push(chunk));
          request.on("end", () => response.end("ok"));
        }),
      );
      const answer = await send(`http://127.0.0.1:${port}/hook?shop=1`);
      expect(answer).to.deep.include({
        outcome: "delivered",
        httpStatus: 200,
        error: null,
        resolvedIp: null,
      });
      expect(answer.responseBody?.toString()).to.equal("ok");
      expect(answer.durationMs).to.be.a("number").at.least(0);
      expect(seen?.method).to.equal("POST");
      expect(seen?.url).to.equal("/hook?shop=1");
      expect(seen?.headers).to.deep.equal({
        host: `127.0.0.1:${port}`,
        connection: "close",
        "content-type": "application/json",
        "content-length": String(BODY.length),
        "x-service-sig": "sha256=00",
      });
      expect(Buffer.concat(chunks).equals(BODY)).to.equal(true);
      await eventually(() => connections() === 0);
    });
  });

  describe("the status line decides", () => {
    for (const status of [200, 201, 202, 204, 299]) {
      it(`${status} is delivered`, async () => {
        const port = await listen(answering(status));
        const answer = await send(`http://127.0.0.1:${port}/`);
        expect(answer).to.deep.include({ outcome: "delivered", httpStatus: status, error: null });
      });
    }

    for (const status of [300, 304, 400, 401, 410, 429, 500, 503]) {
      it(`${status} is failed, and the answer is stored`, async () => {
        const port = await listen(answering(status, status === 304 ? "" : "no"));
        const answer = await send(`http://127.0.0.1:${port}/`);
        expect(answer).to.deep.include({ outcome: "failed", httpStatus: status, error: `http-${status}` });
        expect(answer.responseBody?.toString()).to.equal(status === 304 ? "" : "no");
      });
    }

    it("a redirect to an inner address is failed and not followed", async () => {
      let followed = false;
      const inner = await listen(
        http.createServer((_, response) => {
          followed = true;
          response.end();
        }),
      );
      for (const status of [301, 302, 303, 307, 308]) {
        const port = await listen(answering(status, "", { Location: `http://127.0.0.1:${inner}/` }));
        const answer = await send(`http://127.0.0.1:${port}/`);
        expect(answer).to.deep.include({ outcome: "failed", httpStatus: status, error: `http-${status}` });
      }
      expect(followed).to.equal(false);
    });

    it("a 2xx whose body never ends is delivered at the deadline, with what came", async () => {
      const port = await listen(saying("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"));
      const answer = await sendForAWhile(`http://127.0.0.1:${port}/`);
      expect(answer).to.deep.include({ outcome: "delivered", httpStatus: 200, error: null });
      expect(answer.responseBody?.toString()).to.equal("half");
      expect(answer.durationMs).to.be.at.least(9_990);
      await eventually(() => connections() === 0);
    });

    it("a 2xx whose body is cut is delivered", async () => {
      const port = await listen(
        net.createServer((socket) =>
          socket.once("data", () =>
            socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", () =>
              socket.resetAndDestroy(),
            ),
          ),
        ),
      );
      const answer = await send(`http://127.0.0.1:${port}/`);
      expect(answer).to.deep.include({ outcome: "delivered", httpStatus: 200, error: null });
    });

    it("an answer before the request was read counts", async () => {
      const port = await listen(
        net.createServer((socket) => socket.end("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")),
      );
      expect((await send(`http://127.0.0.1:${port}/`)).httpStatus).to.equal(413);
    });

    it("100 Continue and early hints are no final status; the one after them is", async () => {
      const port = await listen(
        saying(
          "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
        ),
      );
      expect((await send(`http://127.0.0.1:${port}/`)).httpStatus).to.equal(204);
    });

    it("ten interim answers are accepted, and eleven are invalid-response", async () => {
      const answers = (interim: number) =>
        saying(`${"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(interim)}HTTP/1.1 204 No Content\r\n\r\n`);
      const ten = await send(`http://127.0.0.1:${await listen(answers(10))}/`);
      expect(ten).to.deep.include({ outcome: "delivered", httpStatus: 204 });
      const eleven = await send(`http://127.0.0.1:${await listen(answers(11))}/`);
      expect(eleven).to.deep.include({ outcome: "failed", httpStatus: null, error: "invalid-response" });
    });

    it("a switch of protocols is http-101", async () => {
      const port = await listen(
        saying("HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
      );
      expect(await send(`http://127.0.0.1:${port}/`)).to.deep.include({
        outcome: "failed",
        httpStatus: 101,
        error: "http-101",
      });
      await eventually(() => connections() === 0);
    });
  });

  describe("faults of an endpoint", () => {
    async function failure(url: string, changes: Partial<WebhookClientOptions & WebhookRequest> = {}) {
      const answer = await send(url, changes);
      expect(answer).to.deep.include({ outcome: "failed", httpStatus: null, responseBody: null });
      expect(answer.error).to.match(/^[a-z-]+$/);
      return answer;
    }

    it("no answer: timeout, at the deadline", async () => {
      const port = await listen(net.createServer((socket) => socket.resume()));
      const answer = await failure(`http://127.0.0.1:${port}/`, { deadlineMs: 300 });
      expect(answer.error).to.equal("timeout");
      expect(answer.durationMs).to.be.at.least(290);
      await eventually(() => connections() === 0);
    });

    it("headers that drip: timeout, at the deadline and not after the last byte", async () => {
      const port = await listen(
        net.createServer((socket) => {
          const drip = setInterval(() => socket.write("x"), 50);
          socket.on("close", () => clearInterval(drip));
          socket.write("HTTP/1.1 200 OK\r\nX-Slow: ");
        }),
      );
      const answer = await failure(`http://127.0.0.1:${port}/`, { deadlineMs: 400 });
      expect(answer.error).to.equal("timeout");
      expect(answer.durationMs).to.be.at.least(390);
    });

    it("a body with endless extensions of its chunks: the status decides, and the connection is cut", async () => {
      let read = 0;
      const chunks = Buffer.from(`1;${"x".repeat(10_000)}\r\na\r\n`.repeat(10));
      const port = await listen(
        net.createServer((socket) => {
          const pour = () => {
            while (!socket.destroyed && socket.write(chunks));
          };
          socket.on("error", () => undefined);
          socket.on("drain", pour);
          socket.on("close", () => (read = socket.bytesWritten));
          socket.once("data", () => {
            socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            pour();
          });
        }),
      );
      const answer = await send(`http://127.0.0.1:${port}/`);
      expect(answer).to.deep.include({ outcome: "delivered", httpStatus: 200, error: null });
      expect(answer.responseBody?.toString()).to.match(/^a{1,9}$/);
      await eventually(() => read > 0);
      expect(read).to.be.below(16 * 1024 ** 2); // beside what the sockets hold
    });

    describe("endless interim answers", () => {
      /** Of all requests since: Node's own report of the interim answers that it parsed. */
      let parsed = 0;
      const count = (message: unknown): void => {
        (message as { request: http.ClientRequest }).request.on("information", () => (parsed += 1));
      };
      beforeEach(() => {
        parsed = 0;
        subscribe("http.client.request.start", count);
      });
      afterEach(() => void unsubscribe("http.client.request.start", count));

      /** Writes it again and again, as fast as the client reads. */
      function flooding(text: string): (socket: Socket) => void {
        const flood = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)));
        return (socket) => {
          const pour = () => {
            while (!socket.destroyed && socket.write(flood));
          };
          socket.on("error", () => undefined);
          socket.on("drain", pour);
          socket.once("data", pour);
        };
      }

      for (const [what, text] of [
        ["early hints", "HTTP/1.1 103\r\n\r\n"],
        ["100 Continue", "HTTP/1.1 100 Continue\r\n\r\n"],
      ] as const) {
        it(`of ${what}: invalid-response, the connection is cut, and no more of them are parsed`, async () => {
          const port = await listen(net.createServer(flooding(text)));
          expect((await failure(`http://127.0.0.1:${port}/`)).error).to.equal("invalid-response");
          await eventually(() => connections() === 0);
          expect(parsed).to.be.within(11, 32); // one read has thousands
        });
      }
    });

    it("a gigabyte as the answer: 4 KiB are kept, the connection is cut, memory stays flat", async () => {
      let written = 0;
      let cut = false;
      const chunk = Buffer.alloc(64 * 1024, "y");
      const port = await listen(
        http.createServer((_, response) => {
          response.writeHead(200, { "Content-Length": 1024 ** 3 });
          const pour = () => {
            while (written < 1024 ** 3 && !response.destroyed) {
              written += chunk.length;
              if (!response.write(chunk)) return;
            }
          };
          response.on("drain", pour);
          response.on("close", () => (cut = true));
          pour();
        }),
      );
      const before = process.memoryUsage().rss;
      const answer = await send(`http://127.0.0.1:${port}/`);
      expect(answer.outcome).to.equal("delivered");
      expect(answer.responseBody?.length).to.equal(4_096);
      await eventually(() => cut);
      expect(written).to.be.below(64 * 1024 ** 2);
      expect(process.memoryUsage().rss - before).to.be.below(64 * 1024 ** 2);
    });

    it("every address of a name refusing: connection-refused", async () => {
      const server = net.createServer();
      const port = await listen(server);
      await new Promise((resolve) => server.close(resolve));
      const answer = await failure(`http://shop.test:${port}/`, {
        resolve: resolvesTo("127.0.0.1", "::ffff:127.0.0.1"),
      });
      expect(answer.error).to.equal("connection-refused");
    });

    it("a reset: connection-reset; closed without an answer: connection-reset", async () => {
      const reset = await listen(
        net.createServer((socket) => socket.once("data", () => socket.resetAndDestroy())),
      );
      expect((await failure(`http://127.0.0.1:${reset}/`)).error).to.equal("connection-reset");
      const closed = await listen(net.createServer((socket) => socket.once("data", () => socket.end())));
      expect((await failure(`http://127.0.0.1:${closed}/`)).error).to.equal("connection-reset");
    });

    it("invalid HTTP: invalid-response; headers without end: invalid-response", async () => {
      const noise = await listen(saying("SSH-2.0-OpenSSH_9.2\r\n"));
      expect((await failure(`http://127.0.0.1:${noise}/`)).error).to.equal("invalid-response");
      const huge = await listen(saying(`HTTP/1.1 200 OK\r\nX-Huge: ${"a".repeat(100_000)}\r\n\r\n`));
      expect((await failure(`http://127.0.0.1:${huge}/`)).error).to.equal("invalid-response");
    });

    it("an invalid URL, or one of another scheme: invalid-url", async () => {
      for (const url of ["", "shop.example", "ftp://127.0.0.1/", "file:///etc/passwd"]) {
        expect((await failure(url)).error).to.equal("invalid-url");
      }
    });
  });

  describe("names", () => {
    it("that resolve to no address: dns-failed", async () => {
      expect((await send("http://shop.test/", { resolve: resolvesTo() })).error).to.equal("dns-failed");
    });

    it("whose servers never answer: timeout, and sends to one name share its look-up", async () => {
      let lookups = 0;
      const { sendWebhook } = client({
        resolve: () => {
          lookups += 1;
          return new Promise(() => undefined);
        },
      });
      const request = { url: "http://shop.test/", headers: {}, body: BODY, deadlineMs: 200 };
      const answers = await Promise.all([sendWebhook(request), sendWebhook(request), sendWebhook(request)]);
      expect(answers.map(({ error }) => error)).to.deep.equal(["timeout", "timeout", "timeout"]);
      expect(lookups).to.equal(1);
    });

    it("whose look-up fails after the deadline leave no unhandled rejection", async () => {
      const unhandled: unknown[] = [];
      const note = (reason: unknown) => unhandled.push(reason);
      process.on("unhandledRejection", note);
      let fail: (reason: Error) => void = () => undefined;
      const resolve = () => new Promise<string[]>((_, reject) => (fail = reject));
      expect((await send("http://shop.test/", { deadlineMs: 50, resolve })).error).to.equal("timeout");
      fail(new Error("too late"));
      await new Promise((done) => setImmediate(done));
      process.off("unhandledRejection", note);
      expect(unhandled).to.deep.equal([]);
    });

    it("are kept in the Host header", async () => {
      let host: string | undefined;
      const port = await listen(
        http.createServer((request, response) => {
          host = request.headers.host;
          response.end();
        }),
      );
      const answer = await send(`http://shop.test:${port}/`, { resolve: resolvesTo("127.0.0.1") });
      expect(answer).to.include({ outcome: "delivered" });
      expect(host).to.equal(`shop.test:${port}`);
    });

    it("with several addresses are reached at the one that answers", async () => {
      const port = await listen(answering(200));
      const answer = await send(`http://shop.test:${port}/`, {
        resolve: resolvesTo("127.0.0.2", "127.0.0.1"),
      });
      expect(answer).to.include({ outcome: "delivered" });
    });
  });

  describe("the reported address", () => {
    it("is the public one that was tried", async () => {
      const answer = await send("http://shop.test/", {
        deadlineMs: 100,
        resolve: resolvesTo("203.0.114.7"),
      });
      expect(answer).to.include({ outcome: "failed", resolvedIp: "203.0.114.7" });
    });

    it("is null when a name resolves to an address of the operator's network, allowed or refused", async () => {
      const port = await listen(answering(200, "inner"));
      for (const allowedCidrs of [parseAllowedCidrs(["127.0.0.0/8"]), []]) {
        const resolve = resolvesTo("127.0.0.1");
        const answer = await send(`http://db.shop.test:${port}/`, { allowedCidrs, resolve });
        expect(answer.resolvedIp).to.equal(null);
        expect(answer.outcome).to.equal(allowedCidrs.length > 0 ? "delivered" : "failed");
      }
    });
  });

  describe("hosts with limited sends", () => {
    it("are named with their port, however the URL writes them", async () => {
      const { checkWebhookUrl } = client({ resolve: resolvesTo("8.8.8.8") });
      expect(await checkWebhookUrl("https://Shop.Example/a?b")).to.equal("shop.example:443");
      expect(await checkWebhookUrl("https://shop.example.:443/")).to.equal("shop.example:443");
      expect(await checkWebhookUrl("http://[2606:4700::1111]:8080/")).to.equal("2606:4700::1111:8080");
    });

    it("do not include those of which the operator allows every address", async () => {
      const port = await listen(answering(200));
      let addresses = ["127.0.0.1"];
      const { checkWebhookUrl, sendWebhook } = client({ resolve: () => Promise.resolve(addresses) });
      expect(await checkWebhookUrl(`http://127.0.0.1:${port}/`)).to.equal(null);
      const url = `http://receiver.test:${port}/`;
      const request = { url, headers: {}, body: BODY, deadlineMs: 30_000 };
      expect((await sendWebhook(request)).host).to.equal(null);
      addresses = ["127.0.0.1", "203.0.114.7"];
      expect((await sendWebhook(request)).host).to.equal(`receiver.test:${port}`);
      addresses = [];
      expect(await sendWebhook(request), "unknown").to.not.have.property("host");
    });
  });

  describe("addresses that are not public", () => {
    async function refused(url: string, changes: Partial<WebhookClientOptions>) {
      const answer = await send(url, changes);
      // The address is not reported either: it may belong to an internal name.
      expect(answer).to.include({
        outcome: "failed",
        httpStatus: null,
        error: "address-refused",
        resolvedIp: null,
      });
      return answer;
    }

    async function victim() {
      let reached = 0;
      const port = await listen(net.createServer(() => (reached += 1)));
      return { port, reached: () => reached };
    }

    it("are refused as literals in every spelling, without a look-up or a connection", async () => {
      const { port, reached } = await victim();
      for (const host of [
        "127.0.0.1",
        "127.1",
        "0x7f.1",
        "0x7f000001",
        "0177.0.0.1",
        "2130706433",
        "127.0.0.1.",
        "127。0。0。1",
        "0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "169.254.169.254",
      ]) {
        await refused(`http://${host}:${port}/`, { allowedCidrs: [], resolve: noResolver });
      }
      expect(reached()).to.equal(0);
    });

    it("are refused behind localhost and its aliases by the system's own resolver", async () => {
      const { port, reached } = await victim();
      for (const host of ["localhost", "LOCALHOST"])
        await refused(`http://${host}:${port}/`, { allowedCidrs: [] });
      expect(reached()).to.equal(0);
    });

    it("are refused when any one of a name's addresses is", async () => {
      const { port, reached } = await victim();
      for (const addresses of [
        ["8.8.8.8", "127.0.0.1"],
        ["127.0.0.1", "8.8.8.8"],
        ["2606:4700::1111", "::ffff:127.0.0.1"],
        ["8.8.8.8", "10.0.0.1"],
      ]) {
        await refused(`http://shop.test:${port}/`, { allowedCidrs: [], resolve: resolvesTo(...addresses) });
      }
      expect(reached()).to.equal(0);
    });

    it("are refused on a port that the operator does not allow", async () => {
      const { port, reached } = await victim();
      const other = await listen(answering(200));
      const allowedCidrs = parseAllowedCidrs([`127.0.0.1/32:${other}`]);
      expect((await send(`http://127.0.0.1:${other}/`, { allowedCidrs })).outcome).to.equal("delivered");
      await refused(`http://127.0.0.1:${port}/`, { allowedCidrs });
      expect(reached()).to.equal(0);
    });

    it("are not reached by a name that resolves differently the second time: the checked address is the one connected to", async () => {
      const port = await listen(answering(200));
      let asked = 0;
      const rebinding = () => Promise.resolve((asked += 1) === 1 ? ["127.0.0.1"] : ["127.0.0.9"]);
      const allowedCidrs = parseAllowedCidrs([`127.0.0.1/32:${port}`]);
      const { sendWebhook } = client({ allowedCidrs, resolve: rebinding });
      const request = { url: `http://shop.test:${port}/`, headers: {}, body: BODY, deadlineMs: 30_000 };

      expect(await sendWebhook(request)).to.include({ outcome: "delivered" });
      expect(asked).to.equal(1);
      expect(await sendWebhook(request)).to.include({ error: "address-refused" });
      expect(asked).to.equal(2);
    });

    it("are not reached by a proxy of the environment", async () => {
      const { port: proxy, reached } = await victim();
      const port = await listen(answering(200));
      // What NODE_USE_ENV_PROXY makes of it; Node reads that at its start only.
      const before = http.globalAgent;
      const toProxy = { createConnection: () => net.connect(proxy, "127.0.0.1") };
      http.globalAgent = Object.assign(new http.Agent(), toProxy);
      try {
        expect((await send(`http://127.0.0.1:${port}/`)).outcome).to.equal("delivered");
      } finally {
        http.globalAgent = before;
      }
      expect(reached()).to.equal(0);
    });

    it("are reached over IPv6 when the operator allows it", async function () {
      let port: number;
      try {
        port = await listen(answering(200), "::1");
      } catch {
        open.pop();
        return this.skip();
      }
      const allowedCidrs = parseAllowedCidrs([`[::1]:${port}`]);
      const answer = await send(`http://[::1]:${port}/`, { allowedCidrs, resolve: noResolver });
      expect(answer).to.include({ outcome: "delivered" });
    });
  });

  describe("TLS", () => {
    const secure = (name: string) =>
      https.createServer({ key: pem(`${name}.key`), cert: pem(`${name}.crt`) }, (_, response) =>
        response.end("ok"),
      );
    const shop = { ca: pem("ca.crt"), resolve: resolvesTo("127.0.0.1") };

    it("is verified against the authority and the host name", async () => {
      const port = await listen(secure("good"));
      expect((await send(`https://shop.test:${port}/`, shop)).outcome).to.equal("delivered");
      expect((await send(`https://127.0.0.1:${port}/`, shop)).outcome).to.equal("delivered");
    });

    for (const [name, what] of [
      ["self-signed", "a self-signed certificate"],
      ["expired", "an expired certificate"],
      ["other-host", "a certificate for another host"],
    ] as const) {
      it(`${what}: tls-invalid, and nothing is sent`, async () => {
        let reached = false;
        const server = secure(name);
        server.on("request", () => (reached = true));
        const port = await listen(server);
        const answer = await send(`https://shop.test:${port}/`, shop);
        expect(answer).to.deep.include({ outcome: "failed", httpStatus: null, error: "tls-invalid" });
        expect(reached).to.equal(false);
      });
    }

    it("an authority that the system does not know: tls-invalid", async () => {
      const port = await listen(secure("good"));
      expect((await send(`https://shop.test:${port}/`, { resolve: shop.resolve })).error).to.equal(
        "tls-invalid",
      );
    });

    it("stays on when the environment disables it", async () => {
      const port = await listen(secure("self-signed"));
      const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
      process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
      try {
        expect((await send(`https://shop.test:${port}/`, shop)).error).to.equal("tls-invalid");
      } finally {
        if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
        else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
      }
    });

    it("https to a server that speaks plain HTTP: tls-invalid", async () => {
      const port = await listen(answering(200));
      expect((await send(`https://shop.test:${port}/`, shop)).error).to.equal("tls-invalid");
    });

    it("a handshake that hangs: timeout", async () => {
      const port = await listen(net.createServer(() => undefined));
      expect((await send(`https://shop.test:${port}/`, { ...shop, deadlineMs: 300 })).error).to.equal(
        "timeout",
      );
    });
  });

  describe("a URL at registration", () => {
    async function refusal(url: string, changes: Partial<WebhookClientOptions> = {}): Promise<string> {
      const error: unknown = await client(changes)
        .checkWebhookUrl(url)
        .then(
          () => new Error("accepted"),
          (reason: unknown) => reason,
        );
      if (!(error instanceof DomainError)) throw error;
      expect(error.code).to.equal("validation-failed");
      expect(error.errors.map(({ pointer }) => pointer)).to.deep.equal(["/url"]);
      return error.message;
    }

    it("is accepted when all its addresses are public or allowed", async () => {
      await client({ resolve: resolvesTo("8.8.8.8", "2606:4700::1111") }).checkWebhookUrl(
        "https://shop.test/",
      );
      await client({ resolve: noResolver }).checkWebhookUrl("http://127.0.0.1:3000/");
    });

    it("is refused when one address is not public, without naming it", async () => {
      const message = await refusal("https://shop.test/", { resolve: resolvesTo("8.8.8.8", "10.1.2.3") });
      expect(message).to.contain("WEBHOOK_ALLOWED_CIDRS").and.not.contain("10.1.2.3");
    });
  });
});
