import { randomInt } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

// Below the ports that a system gives to connections and to servers that ask for any (Linux: from 32768, others: from
// 49152), so that none of those can take the port before its server binds it, or while that server restarts.
const LOWEST = 20_000;
const END = 28_000;

// Each process begins elsewhere, so that it seldom tries what another has.
let next = randomInt(LOWEST, END);

/**
 * A free TCP port of 127.0.0.1, for a server that keeps it over restarts. No other call gives the same one, in any
 * process, until this process ends: it keeps the UDP port of that number, which nothing here uses, also while no server
 * listens.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < END - LOWEST; tries += 1) {
    const port = next;
    next = next + 1 < END ? next + 1 : LOWEST;
    const kept = await keep(port);
    if (kept === null) continue;
    if (await isFree(port)) return port;
    kept.close();
  }
  throw new Error(`no port of 127.0.0.1 from ${LOWEST} to ${END - 1} is free`);
}

/** Null where another process has it. */
async function keep(port: number): Promise<Socket | null> {
  const socket = createSocket("udp4").unref();
  try {
    socket.bind({ port, address: "127.0.0.1", exclusive: true });
    await once(socket, "listening");
  } catch {
    socket.close();
    return null;
  }
  return socket;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
