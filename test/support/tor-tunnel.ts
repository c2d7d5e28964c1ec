import { once } from "node:events";
import http from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

/** As Tor's HTTPTunnelPort: CONNECT to the onion services that it knows, by their `host:port`. */
export class TorTunnel {
  readonly #sockets = new Set<Socket>();
  #server = http.createServer();
  #port = 0;

  constructor(private readonly services: ReadonlyMap<string, string>) {}

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** On the port that it had before. */
  async start(): Promise<void> {
    this.#server = http.createServer().on("connect", (request, socket: Socket, head: Buffer) => {
      this.#keep(socket);
      const service = this.services.get(request.url ?? "");
      if (service === undefined) return void socket.end("HTTP/1.0 503 Service Unavailable\r\n\r\n");
      const [host, port] = service.split(":");
      const through = connect(Number(port), host, () => {
        socket.write("HTTP/1.0 200 Connection established\r\n\r\n");
        through.write(head);
        socket.pipe(through).pipe(socket);
      });
      this.#keep(through);
    });
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** With all that goes through it. */
  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => this.#sockets.delete(socket));
  }
}
