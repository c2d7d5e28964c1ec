import { parseArgs } from "node:util";
import { SimulatedNode, type SimulatedNodeOptions } from "./simulated-node";

/**
 * The simulated node as a process: prints one JSON line `{rpcUrl, zmqUrls}` when it is ready, ends on SIGINT, SIGTERM
 * or the RPC `stop`. All options may be left out.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      "data-dir": { type: "string" },
      "rpc-port": { type: "string" },
      "zmq-rawtx-port": { type: "string" },
      "zmq-hashblock-port": { type: "string" },
      credentials: { type: "string" },
      "mine-every-seconds": { type: "string" },
    },
  });
  const options: SimulatedNodeOptions = {};
  if (values["data-dir"]) options.dataDir = values["data-dir"];
  if (values["rpc-port"]) options.rpcPort = Number(values["rpc-port"]);
  if (values.credentials) options.credentials = values.credentials;
  if (values["zmq-rawtx-port"] && values["zmq-hashblock-port"]) {
    options.zmqPorts = {
      rawtx: Number(values["zmq-rawtx-port"]),
      hashblock: Number(values["zmq-hashblock-port"]),
    };
  }
  const node = await SimulatedNode.start(options);
  process.stdout.write(`${JSON.stringify({ rpcUrl: node.rpcUrl, zmqUrls: node.zmqUrls })}\n`);
  const everySeconds = Number(values["mine-every-seconds"] ?? 0);
  // Unreferenced: the process ends with the node.
  if (everySeconds > 0) setInterval(() => void node.mine(1), everySeconds * 1_000).unref();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void node.stop());
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
