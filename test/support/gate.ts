import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { freePort } from "../../scripts/devnet/free-port";

export interface Gate {
  /** The target's URL with the gate's host and port in place of its own. */
  url: string;
  /** Breaks what goes through it and refuses what is new, as if the target were away. */
  shut(): Promise<void>;
  open(): Promise<void>;
  /**
   * The host behind the present connections vanishes silently: no byte passes any more in either direction, no
   * error occurs, and the connections stay open. New ones reach the target, as if another host had taken its name.
   */
  swallow(): void;
  /** What is sent arrives at the target, and its answers are lost: what goes through now, until it is shut. */
  loseAnswers(): void;
}

/** A way for TCP to `target` that can be shut: a node that is away without being touched itself. Open at first. */
export async function startGate(target: string): Promise<Gate> {
  const to = new URL(target);
  const sockets = new Set<Socket>();
  const targets = new Set<Socket>();
  let server: Server | null = null;
  const port = await freePort();

  function pass(client: Socket): void {
    const node = connect(Number(to.port), to.hostname);
    for (const socket of [client, node]) {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      socket.on("error", () => undefined); // the other end notices the close
    }
    targets.add(node);
    node.once("close", () => targets.delete(node));
    client.once("close", () => node.destroy());
    node.once("close", () => client.destroy());
    client.pipe(node).pipe(client);
  }
  async function open(): Promise<void> {
    if (server) return;
    server = createServer(pass).listen(port, "127.0.0.1");
    await once(server, "listening");
  }
  async function shut(): Promise<void> {
    if (!server) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    server = null;
    await closed;
  }
  function swallow(): void {
    for (const socket of sockets) socket.unpipe().pause();
  }
  function loseAnswers(): void {
    for (const node of targets) node.unpipe().resume();
  }
  await open();
  const url = new URL(target);
  url.host = `127.0.0.1:${port}`;
  return { url: url.href.replace(/\/$/, ""), open, shut, swallow, loseAnswers };
}
