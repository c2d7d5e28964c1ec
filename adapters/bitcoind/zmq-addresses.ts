import { isIP } from "node:net";
import type { ZmqNotification } from "./rpc";
import type { ZmqTopic } from "./zmq";

export interface ZmqAddressWishes {
  rpcUrl: string;
  rawtx?: string | undefined;
  hashblock?: string | undefined;
}

/**
 * Where to subscribe: the operator's setting, else what the node reports. A node reports the address to which it
 * bound, which may be unreachable from other hosts: wildcard and loopback addresses are replaced by the RPC's host.
 * Null for a topic that is not published.
 */
export function zmqAddresses(
  wishes: ZmqAddressWishes,
  notifications: readonly ZmqNotification[],
): Record<ZmqTopic, string | null> {
  const host = new URL(wishes.rpcUrl).hostname;
  const published = (type: string): string | null => {
    const address = notifications.find((notification) => notification.type === type)?.address;
    return address === undefined ? null : reachable(address, host);
  };
  return {
    rawtx: wishes.rawtx ?? published("pubrawtx"),
    hashblock: wishes.hashblock ?? published("pubhashblock"),
  };
}

function reachable(address: string, rpcHost: string): string {
  const match = /^tcp:\/\/(.+):(\d+)$/.exec(address);
  const [, host = "", port = ""] = match ?? [];
  return match && isLocal(host) ? `tcp://${rpcHost}:${port}` : address;
}

function isLocal(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "");
  if (bare === "*" || bare === "localhost") return true;
  switch (isIP(bare)) {
    case 4:
      return bare === "0.0.0.0" || bare.startsWith("127.");
    case 6:
      return bare === "::" || bare === "::1";
    default:
      return false;
  }
}
