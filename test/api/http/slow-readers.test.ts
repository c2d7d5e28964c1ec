import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { expect } from "chai";
import Koa from "koa";
import { listen, type Listening } from "../../../api/listen";
import { cutOffSlowReaders, type SlowReaderLimits } from "../../../api/http/middleware/slow-readers";
import { eventually } from "../../support/eventually";

/** More than the system takes for two ends of a connection. */
const LARGE = 48 * 1024 * 1024;

describe("API: readers that do not read their answer", () => {
  let listening: Listening;
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await listening.close();
  });

  async function serve(limits: SlowReaderLimits, answer: Koa.Middleware): Promise<{ closed: () => boolean }> {
    const app = new Koa();
    let closed = false;
    app.use(async (koa, next) => {
      koa.res.once("close", () => (closed = true));
      await next();
    });
    app.use(cutOffSlowReaders(limits));
    app.use(answer);
    app.silent = true;
    listening = await listen(app.callback(), { host: "127.0.0.1", port: 0 });
    return { closed: () => closed };
  }
  function ask(): Socket {
    const socket = connect(listening.port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.pause();
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    sockets.push(socket);
    return socket;
  }
  async function* withoutEnd(): AsyncGenerator<Buffer> {
    for (;;) yield await Promise.resolve(Buffer.alloc(256 * 1024));
  }
  const large: Koa.Middleware = (koa) => void (koa.body = Buffer.alloc(LARGE));
  const stream: Koa.Middleware = (koa) => void (koa.body = Readable.from(withoutEnd()));

  for (const [kind, answer] of [
    ["an answer", large],
    ["an export", stream],
  ] as const)
    it(`cuts off one that reads nothing of ${kind}`, async () => {
      const { closed } = await serve({ stalledMs: 150 }, answer);
      ask();
      await eventually(() => expect(closed()).to.equal(true));
    });

  for (const [kind, answer, limits] of [
    ["an answer", large, { longestMs: 700 }],
    ["an export", stream, { streamLongestMs: 700 }],
  ] as const)
    it(`cuts off one that reads a little of ${kind} now and then, when its time is over`, async () => {
      const { closed } = await serve({ stalledMs: 60_000, ...limits }, answer);
      const socket = ask();
      const trickle = setInterval(() => void socket.read(100_000), 20);
      await eventually(() => expect(closed()).to.equal(true));
      clearInterval(trickle);
    });

  it("keeps one that reads everything, and its connection for the next request", async () => {
    await serve({ stalledMs: 150 }, (koa) => void (koa.body = Buffer.alloc(1_000)));
    const socket = ask();
    socket.resume();
    await once(socket, "data");
    await new Promise((resolve) => setTimeout(resolve, 400));
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(socket, "data");
    expect(socket.destroyed).to.equal(false);
  });

  it("keeps a request that waits for long, and a silent event stream", async () => {
    await serve({ stalledMs: 100, longestMs: 200 }, async (koa) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      koa.respond = false;
      koa.res.write("event: open\n\n");
      setTimeout(() => koa.res.end("event: later\n\n"), 500);
    });
    const socket = ask();
    const text: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => text.push(chunk)).resume();
    await eventually(() => expect(Buffer.concat(text).toString()).to.include("later"));
  });
});
