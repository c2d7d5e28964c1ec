import { SimulatedNode } from "../devnet/bitcoin/simulated-node";
import { SimulatedLnd } from "../devnet/lightning/simulated-lnd";
import type { NodeCommand, NodeMessage } from "./nodes";

/**
 * The simulated nodes in a process of their own, so that they block no other loop. `devnet-process.ts DIR MS`: DIR
 * for LND's files, MS that it takes to make an invoice. Its parent calls over the channel; ends when that closes.
 */
async function main([dataDir = "", lateMs = "0"]: string[]): Promise<void> {
  const node = await SimulatedNode.start();
  // Its invoices stay in memory; the parent writes the certificate and the macaroon.
  const lnd = await SimulatedLnd.start(dataDir === "" ? {} : { dataDir });
  if (Number(lateMs) > 0) lnd.faults.lateMs["AddInvoice"] = Number(lateMs);
  await node.mine(110);
  const report = (message: NodeMessage): void => void process.send?.(message);
  async function answer(command: NodeCommand): Promise<string> {
    switch (command.kind) {
      case "pay":
        return node.pay(command.address, BigInt(command.sats));
      case "settle":
        return (await lnd.pay(command.bolt11)).preimage;
      case "mine":
        return (await node.mine(command.blocks)).join();
    }
  }
  process.on("message", (command: NodeCommand) => {
    answer(command).then(
      (text) => report({ kind: "answer", id: command.id, text, error: null }),
      (error: unknown) => report({ kind: "answer", id: command.id, text: "", error: String(error) }),
    );
  });
  process.on("disconnect", () => process.exit(0));
  process.on("SIGTERM", () => process.exit(0));
  report({ kind: "ready", rpcUrl: node.rpcUrl, zmq: node.zmqUrls, grpcUrl: lnd.grpc.url });
}

void main(process.argv.slice(2));
