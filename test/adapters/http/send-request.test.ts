import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";
import { expect } from "chai";
import { SendFailure } from "../../../adapters/http/send-failure";
import { type HttpRequest, keepAlive, sendRequest } from "../../../adapters/http/send-request";
import { eventually } from "../../support/eventually";

describe("a request to an address that the operator chose", () => {
  let server: net.Server;
  let url: URL;
  const sockets = new Set<Socket>();
  /** What the server does with a connection that has sent something. */
  let answer: (socket: Socket) => void;
  beforeEach(async () => {
    server = net.createServer((socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket)).on("error", () => undefined);
      socket.on("data", () => answer(socket));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  const send = (given: Partial<HttpRequest> = {}) =>
    sendRequest(url, { method: "GET", headers: {}, deadlineMs: 10_000, answerBytesMax: 100, ...given });
  const failure = async (given: Partial<HttpRequest> = {}): Promise<string> => {
    const error: unknown = await send(given).then(
      () => "none",
      (thrown: unknown) => thrown,
    );
    return error instanceof SendFailure ? error.errorCode : String((error as { code?: string }).code);
  };
  const says = (text: string) => (socket: Socket) => void socket.end(text);
  const OK = "HTTP/1.1 200 OK\r\n";

  it("returns status, headers and text", async () => {
    answer = says(`${OK}Content-Length: 4\r\nX-A: b\r\n\r\nfünx`.slice(0, -1));
    const { status, headers, text } = await send({ method: "POST", body: "ü" });
    expect({ status, a: headers["x-a"], text }).to.deep.equal({ status: 200, a: "b", text: "fün" });
  });

  it("follows no redirect", async () => {
    answer = says("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n");
    expect((await send()).status).to.equal(302);
  });

  it("fails when the answer is a switch of protocols", async () => {
    answer = says("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n");
    for (const agent of [undefined, keepAlive(url, 1_000)])
      expect(await failure(agent && { agent })).to.equal("invalid-response");
  });

  it("fails when interim answers never end", async () => {
    answer = says("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1_000));
    expect(await failure()).to.equal("invalid-response");
  });

  it("fails when the body is longer than allowed, shorter than announced, or not HTTP", async () => {
    answer = says(`${OK}Content-Length: 101\r\n\r\n${"x".repeat(101)}`);
    expect(await failure()).to.equal("answer-too-long");
    answer = says(`${OK}Content-Length: 50\r\n\r\nshort`);
    expect(await failure()).to.equal("ECONNRESET");
    answer = says(`${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nshort`);
    expect(await failure()).to.equal("ECONNRESET");
    answer = says("SSH-2.0-OpenSSH\r\n");
    expect(await failure()).to.match(/^HPE_/);
  });

  it("fails when a short body comes with endless extensions of its chunks", async () => {
    let sentBytes = 0;
    answer = (socket) => {
      socket.on("close", () => (sentBytes = socket.bytesWritten));
      const chunks = Buffer.from(`1;${"x".repeat(10_000)}\r\na\r\n`.repeat(10));
      const pour = () => {
        while (!socket.destroyed && socket.write(chunks));
      };
      socket.on("drain", pour);
      socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n`, pour);
    };
    expect(await failure({ answerBytesMax: 100_000 })).to.equal("answer-too-long");
    await eventually(() => expect(sockets.size).to.equal(0));
    expect(sentBytes).to.be.within(100_000, 20_000_000);
  });

  it("reads a body that comes byte by byte", async () => {
    answer = says(`${OK}Transfer-Encoding: chunked\r\n\r\n${"1\r\na\r\n".repeat(10_000)}0\r\n\r\n`);
    expect((await send({ answerBytesMax: 10_000 })).text).to.equal("a".repeat(10_000));
  });

  it("ends at the deadline before the head, and in the body", async () => {
    answer = () => undefined;
    expect(await failure({ deadlineMs: 200 })).to.equal("timeout");
    answer = (socket) => void socket.write(`${OK}Content-Length: 50\r\n\r\nshort`);
    expect(await failure({ deadlineMs: 200 })).to.equal("timeout");
  });

  it("ends with the head where no body is wanted, and closes the connection", async () => {
    answer = (socket) => void socket.write(`${OK}Content-Length: 50\r\n\r\nshort`);
    expect(await send({ answerBytesMax: 0 })).to.include({ status: 200, text: "" });
    await eventually(() => expect(sockets.size).to.equal(0));
  });

  it("leaves no connection open after failures", async () => {
    const agent = keepAlive(url, 1_000);
    answer = says(`${OK}Content-Length: 500\r\n\r\n${"x".repeat(500)}`);
    for (let i = 0; i < 20; i += 1) expect(await failure({ agent })).to.equal("answer-too-long");
    await eventually(() => expect(sockets.size).to.equal(0));
  });

  it("uses a connection again while it is kept open, and a new one after that", async () => {
    const agent = keepAlive(url, 300);
    const seen = new Set<Socket>();
    answer = (socket) => {
      seen.add(socket);
      socket.write(`${OK}Content-Length: 2\r\n\r\nok`);
    };
    for (let i = 0; i < 3; i += 1) await send({ agent });
    expect(seen.size).to.equal(1);
    await eventually(() => expect(sockets.size).to.equal(0));
    await send({ agent });
    expect(seen.size).to.equal(2);
  });
});
