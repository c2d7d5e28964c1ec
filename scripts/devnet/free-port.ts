import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

// Below the ports that a system gives to connections and to servers that ask for any (Linux: from 32768, others: from
// 49152), so that none of those can take the port before its server binds it, or while that server restarts.
const LOWEST = 20_000;
const END = 28_000;

// Each process begins elsewhere, so that two of them do not find the same port free at one time.
let next = randomInt(LOWEST, END);

/** A free TCP port of 127.0.0.1, for a server that keeps it over restarts. Each call gives another one. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < END - LOWEST; tries += 1) {
    const port = next;
    next = next + 1 < END ? next + 1 : LOWEST;
    if (await isFree(port)) return port;
  }
  throw new Error(`no port of 127.0.0.1 from ${LOWEST} to ${END - 1} is free`);
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
