import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { RealNode } from "../devnet/bitcoin/real-node";
import { RealLnd } from "../devnet/lightning/real-lnd";
import { ROOT } from "./build";
import type { Lab } from "./lab";
import { endChild } from "./service";

/** Calls to the simulated nodes over the channel. */
export type NodeCommand = { id: number } & (
  | { kind: "pay"; address: string; sats: string }
  | { kind: "settle"; bolt11: string }
  | { kind: "mine"; blocks: number }
);

export type NodeMessage =
  | { kind: "ready"; rpcUrl: string; zmq: { rawtx: string; hashblock: string }; grpcUrl: string }
  | { kind: "answer"; id: number; text: string; error: string | null };

/** A Bitcoin node and an LND, simulated or real. */
export interface Nodes {
  /** `BITCOIND_*`, and `LND_*` with Lightning. */
  env: Record<string, string>;
  zmq: { rawtx: string; hashblock: string };
  /** A customer's transaction: it has left when this resolves. Returns the txid. */
  pay(address: string, sats: bigint): Promise<string>;
  /** A customer pays a BOLT11. Returns the preimage. */
  settle(bolt11: string): Promise<string>;
  mine(blocks: number): Promise<void>;
}

interface NodesOptions {
  lightning: boolean;
  /** What the simulated LND takes to make an invoice. */
  addInvoiceMs?: number;
}

type Ask = NodeCommand extends infer Each ? (Each extends NodeCommand ? Omit<Each, "id"> : never) : never;

/** Ends with the bench. */
export async function simulatedNodes(
  lab: Lab,
  { lightning, addInvoiceMs = 0 }: NodesOptions,
): Promise<Nodes> {
  const dir = mkdtempSync(path.join(os.tmpdir(), "quittance-bench-nodes-"));
  const file = path.join(__dirname, "devnet-process.ts");
  const child = spawn(process.execPath, ["--import", "tsx", file, dir, String(addInvoiceMs)], {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  lab.onEnd(async () => {
    await endChild(child);
    rmSync(dir, { recursive: true, force: true });
  });
  const waiting = new Map<number, { resolve: (text: string) => void; reject: (error: Error) => void }>();
  const ready = await new Promise<NodeMessage & { kind: "ready" }>((resolve, reject) => {
    child.once("exit", () => reject(new Error("the simulated nodes ended")));
    child.on("message", (message: NodeMessage) => {
      if (message.kind === "ready") return resolve(message);
      const who = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error === null) who?.resolve(message.text);
      else who?.reject(new Error(message.error));
    });
  });
  let asked = 0;
  const ask = (what: Ask): Promise<string> =>
    new Promise((resolve, reject) => {
      const id = ++asked;
      waiting.set(id, { resolve, reject });
      child.send({ ...what, id });
    });
  return {
    env: {
      BITCOIND_RPC_URL: ready.rpcUrl,
      BITCOIND_ZMQ_RAWTX: ready.zmq.rawtx,
      BITCOIND_ZMQ_HASHBLOCK: ready.zmq.hashblock,
      ...(lightning ? lndEnv(ready.grpcUrl, dir) : {}),
    },
    zmq: ready.zmq,
    pay: (address, sats) => ask({ kind: "pay", address, sats: String(sats) }),
    settle: (bolt11) => ask({ kind: "settle", bolt11 }),
    mine: async (blocks) => void (await ask({ kind: "mine", blocks })),
  };
}

function lndEnv(grpcUrl: string, dir: string): Record<string, string> {
  return {
    LND_GRPC_URL: grpcUrl,
    LND_TLS_CERT_FILE: path.join(dir, "tls.cert"),
    LND_MACAROON_FILE: path.join(dir, "admin.macaroon"),
  };
}

const BITCOIND = process.env["BITCOIND_BIN"] ?? path.join(ROOT, ".test/bitcoind/bitcoind");
const LND = process.env["LND_BIN"] ?? path.join(ROOT, ".test/lnd/lnd");

/** Null where there are none on this machine: `npm run test:regtest` fetches and builds them. */
export async function realNodes(lab: Lab): Promise<Nodes | null> {
  if (!existsSync(BITCOIND) || !existsSync(LND)) return null;
  const node = await RealNode.start(BITCOIND);
  lab.onEnd(() => node.stop());
  const lnd = await RealLnd.start(LND, node);
  lab.onEnd(() => lnd.stop());
  const dir = mkdtempSync(path.join(os.tmpdir(), "quittance-bench-nodes-"));
  lab.onEnd(() => rmSync(dir, { recursive: true, force: true }));
  const { url, tlsCert, adminMacaroon } = lnd.grpc;
  writeFileSync(path.join(dir, "tls.cert"), tlsCert);
  writeFileSync(path.join(dir, "admin.macaroon"), adminMacaroon);
  return {
    env: {
      BITCOIND_RPC_URL: node.rpcUrl,
      BITCOIND_ZMQ_RAWTX: node.zmqUrls.rawtx,
      BITCOIND_ZMQ_HASHBLOCK: node.zmqUrls.hashblock,
      ...lndEnv(url, dir),
    },
    zmq: node.zmqUrls,
    pay: (address, sats) => node.pay(address, sats),
    settle: async (bolt11) => (await lnd.pay(bolt11)).preimage,
    mine: async (blocks) => void (await node.mine(blocks)),
  };
}
