import { once } from "node:events";
import { createServer } from "node:net";
import { createSocket } from "node:dgram";
import { expect } from "chai";
import { freePort } from "../../../scripts/devnet/free-port";

describe("a free port", () => {
  it("is below those that a system gives to connections", async () => {
    expect(await freePort()).to.be.within(20_000, 27_999);
  });

  it("is another one each time, though nobody listens there yet", async () => {
    const ports = [await freePort(), await freePort(), await freePort()];
    expect(new Set(ports)).to.have.length(3);
  });

  it("is not one where somebody listens", async () => {
    const next = (await freePort()) + 1;
    const server = createServer().listen(next, "127.0.0.1");
    await once(server, "listening");
    expect(await freePort()).not.to.equal(next);
    server.close();
  });

  it("is not one that another process was given, though nobody listens there now", async () => {
    const next = (await freePort()) + 1;
    const others = createSocket("udp4").bind({ port: next, address: "127.0.0.1", exclusive: true });
    await once(others, "listening");
    expect(await freePort()).not.to.equal(next);
    others.close();
  });

  it("is kept from other processes until this one ends", async () => {
    const port = await freePort();
    const others = createSocket("udp4").bind({ port, address: "127.0.0.1", exclusive: true });
    const [error] = (await once(others, "error")) as [NodeJS.ErrnoException];
    expect(error.code).to.equal("EADDRINUSE");
    others.close();
  });
});
