import http from "node:http";
import { isIP, connect as connectTcp, type Socket } from "node:net";
import type { ChannelOptions } from "@grpc/grpc-js";
import { type AllowedCidr, isAllowedAddress, isPublicAddress } from "../../domain/webhook/address";
import { makeResolve, type Resolve } from "../http/resolve-host";
import { LndFailure } from "./failure";

export interface NodeNetwork {
  allowedCidrs: readonly AllowedCidr[];
  /** `host:port` of Tor's HTTP tunnel. */
  torProxy: string | null;
  resolve?: Resolve;
}

/** Where a channel to a store's node goes: to addresses that were judged, so that no second query is made. */
export interface Dial {
  target: string;
  options: ChannelOptions;
  /** All of them are public, so that what answers there is no secret of the operator's network. */
  open: boolean;
  /** For a connection without gRPC. */
  connect(): Promise<Socket>;
}
export type Dialer = (address: string) => () => Promise<Dial>;

/** An empty message takes two bytes, and hundreds in memory. The list of some 700 channels is longer: it is not read. */
const ANSWER_BYTES_MAX = 256 * 1024;
const CONNECT_MS = 5_000;

/** Without port, and an IPv6 address without brackets. */
export const hostOf = (address: string): string => address.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
const portOf = (address: string): number => Number(/:(\d+)$/.exec(address)?.[1] ?? 0);

/** The channel's options of any target: the name in the certificate and in the requests. */
export const namesOf = (address: string): ChannelOptions => ({
  "grpc.default_authority": address,
  // TLS has no addresses as names (RFC 6066, section 3): any name is used.
  "grpc.ssl_target_name_override": isIP(hostOf(address)) === 0 ? hostOf(address) : "localhost",
});

/** Names are resolved by the webhooks' rules. @throws LndFailure `refused`, `away` */
export function makeDialer({ allowedCidrs, torProxy, resolve = makeResolve() }: NodeNetwork): Dialer {
  return (address) => async () => {
    const bounds = { ...namesOf(address), "grpc.max_receive_message_length": ANSWER_BYTES_MAX };
    if (/\.onion\.?$/.test(hostOf(address))) return throughTor(address, torProxy, bounds);
    const port = portOf(address);
    const addresses = await addressesOf(hostOf(address), resolve);
    // A single forbidden address refuses the name, since the address of the connection is not chosen here.
    if (!addresses.every((each) => isAllowedAddress(each, port, allowedCidrs)))
      throw new LndFailure(
        "refused",
        "the node's address is in a network that this server does not connect to; its operator can allow it (LIGHTNING_ALLOWED_CIDRS)",
      );
    const [v4, v6] = [
      addresses.filter((each) => isIP(each) === 4),
      addresses.filter((each) => isIP(each) === 6),
    ];
    const scheme = v4.length > 0 ? "ipv4" : "ipv6";
    const judged = v4.length > 0 ? v4 : v6.map((each) => `[${each}]`);
    return {
      target: `${scheme}:${judged.map((each) => `${each}:${port}`).join(",")}`,
      options: bounds,
      open: addresses.every(isPublicAddress),
      connect: () => connected(connectTcp({ host: v4[0] ?? v6[0] ?? "", port })),
    };
  };
}

async function addressesOf(host: string, resolve: Resolve): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  const found = await resolve(host).catch(() => []);
  if (found.length === 0)
    throw new LndFailure(
      "unresolved",
      "the node's host name does not resolve; check its spelling and its DNS records",
    );
  return found;
}

/** Tor resolves the name, which is proven by the connection itself. */
function throughTor(address: string, torProxy: string | null, bounds: ChannelOptions): Dial {
  if (torProxy === null)
    throw new LndFailure(
      "refused",
      "the node's address is an onion address, and this server has no Tor; its operator can name one (TOR_PROXY)",
    );
  return {
    target: `dns:${torProxy}`,
    options: { ...bounds, "grpc.http_connect_target": `dns:${address}` },
    open: true,
    connect: () => tunnelled(torProxy, address),
  };
}

function connected(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new Error("timeout")), CONNECT_MS);
    socket.once("connect", () => {
      clearTimeout(timer);
      resolve(socket);
    });
    socket.once("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}

function tunnelled(torProxy: string, address: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const request = http.request({
      method: "CONNECT",
      host: hostOf(torProxy),
      port: portOf(torProxy),
      path: address,
      headers: { Host: address },
      signal: AbortSignal.timeout(TUNNEL_MS),
      agent: false,
    });
    request.once("connect", ({ statusCode }, socket: Socket) => {
      socket.on("error", () => undefined); // until the next protocol listens, an error would end the process
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new Error("refused"));
    });
    // Anything else than a tunnel.
    request.once("response", (answer) => answer.destroy(new Error("no tunnel")));
    request.once("error", (error: NodeJS.ErrnoException) =>
      reject(error.syscall === "connect" ? new LndFailure("away", TOR_AWAY) : error),
    );
    request.end();
  });
}

const TOR_AWAY = "this server's Tor does not answer; its operator can look after it (TOR_PROXY)";
/** A circuit to an onion service takes seconds. */
const TUNNEL_MS = 30_000;
