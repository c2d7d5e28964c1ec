import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import path from "node:path";
import { TLSSocket } from "node:tls";

const file = (name: string): string => path.join(__dirname, "tls", name);
/** It has signed the front's certificate, which is for 127.0.0.1. */
export const FRONT_AUTHORITY = file("ca.crt");

/** TLS in front of a server on this host, under an authority that no system trusts. Postgres's clients ask for it first. */
export async function startTlsFront(
  port: number,
  protocol: "postgres" | "redis",
): Promise<{ port: number; close(): void }> {
  const secure = {
    isServer: true,
    cert: readFileSync(file("good.crt")),
    key: readFileSync(file("good.key")),
  };
  const sockets = new Set<Socket>();
  const front = createServer((socket) => {
    const begin = (): void => {
      const client = new TLSSocket(socket, secure);
      const server = connect(port, "127.0.0.1");
      for (const each of [client, server]) each.on("error", () => (client.destroy(), server.destroy()));
      client.pipe(server).pipe(client);
      sockets.add(server);
    };
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    if (protocol === "redis") begin();
    else
      socket.once("data", () => {
        socket.write("S");
        begin();
      });
  }).listen(0, "127.0.0.1");
  await once(front, "listening");
  return {
    port: (front.address() as AddressInfo).port,
    close() {
      front.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
