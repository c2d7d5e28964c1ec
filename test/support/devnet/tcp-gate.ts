import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { bindWhenFree } from "../../../scripts/devnet/bitcoin/bind";
import { freePort } from "../../../scripts/devnet/free-port";

/**
 * The TCP port that clients know, before the server's own. It keeps its number while the server restarts, and can die
 * without a word: then connections stay open, and are taken, but nothing passes any more.
 */
export class TcpGate {
  private server: Server | null = null;
  private readonly sockets = new Set<Socket>();
  /** The ends of those that lead to the server. */
  private readonly answering = new Set<Socket>();
  private frozen = false;
  /** Connections so far. */
  taken = 0;

  private constructor(private number: number) {}

  /** @param port 0 for a free one. Closed until `open`. */
  static make(port: number): TcpGate {
    return new TcpGate(port);
  }

  get port(): number {
    return this.number;
  }

  async open(target: number): Promise<void> {
    if (this.server) return;
    if (this.number === 0) this.number = await freePort();
    this.server = await bindWhenFree(async () => {
      const server = createServer((client) => this.take(client, target));
      server.listen(this.number, "127.0.0.1");
      await once(server, "listening");
      return server;
    });
  }

  async close(): Promise<void> {
    const { server } = this;
    this.server = null;
    this.cut();
    if (!server) return;
    server.close();
    await once(server, "close");
  }

  /** Resets all connections. New ones are taken. */
  cut(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  /** Half open: no byte passes, in no direction, and no side notices. */
  freeze(): void {
    this.frozen = true;
    for (const socket of this.sockets) socket.pause();
  }

  /** What waited passes on. */
  thaw(): void {
    this.frozen = false;
    for (const socket of this.sockets) socket.resume();
  }

  /** The same for the present connections alone: new ones pass, as if another host had taken the server's name. */
  die(): void {
    for (const socket of this.sockets) socket.pause();
  }

  /** What is sent arrives, and the answers to it are lost, on the present connections. */
  loseAnswers(): void {
    for (const socket of this.answering) socket.removeAllListeners("data").resume();
  }

  private take(client: Socket, target: number): void {
    this.taken += 1;
    const server = connect(target, "127.0.0.1");
    this.answering.add(server);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(from);
      from.setNoDelay(true);
      from.on("data", (bytes) => void to.write(bytes));
      from.once("error", () => to.destroy());
      from.once("end", () => to.end());
      from.once("close", () => {
        this.sockets.delete(from);
        this.answering.delete(from);
        to.destroy();
      });
      if (this.frozen) from.pause();
    }
  }
}
