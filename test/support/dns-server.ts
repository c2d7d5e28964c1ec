import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import ipaddr from "ipaddr.js";

const TYPES: Readonly<Record<number, "ipv4" | "ipv6">> = { 1: "ipv4", 28: "ipv6" };
const ANSWER = 0x8180;
const NO_SUCH_NAME = 3;

export interface DnsServer {
  /** For `setServers`. */
  address: string;
  /** Questions so far, by name. */
  asked: Map<string, number>;
  close(): Promise<void>;
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** A name server over UDP: names with their addresses, `null` for one that it never answers; of others it says that they do not exist. */
export async function startDnsServer(
  namesOf: (name: string) => readonly string[] | null | undefined,
): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const asked = new Map<string, number>();
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = questionOf(query);
    asked.set(name, (asked.get(name) ?? 0) + 1);
    const found = namesOf(name);
    if (found === null) return;
    const records = (found ?? [])
      .map((text) => ipaddr.parse(text))
      .filter((one) => one.kind() === TYPES[type]);
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(ANSWER | (found === undefined ? NO_SUCH_NAME : 0), 2);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    const answers = records.map((one) => {
      const bytes = Buffer.from(one.toByteArray());
      const record = Buffer.alloc(12);
      record.writeUInt16BE(0xc00c, 0); // the question's name
      record.writeUInt16BE(type, 2);
      record.writeUInt16BE(1, 4);
      record.writeUInt32BE(60, 6);
      record.writeUInt16BE(bytes.length, 10);
      return Buffer.concat([record, bytes]);
    });
    socket.send(Buffer.concat([head, query.subarray(12, end), ...answers]), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port }: AddressInfo = socket.address();
  return {
    address: `127.0.0.1:${port}`,
    asked,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
