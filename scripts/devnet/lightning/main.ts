import { parseArgs } from "node:util";
import { SimulatedLnd } from "./simulated-lnd";

/**
 * The simulated LND as a process: prints one JSON line `{grpcUrl, nodeKey, dataDir}` when it is ready, ends on SIGINT
 * or SIGTERM. Its folder has `tls.cert`, `admin.macaroon` and `invoice.macaroon`, as LND's has.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { "data-dir": { type: "string" }, port: { type: "string" } } });
  const dataDir = values["data-dir"];
  if (dataDir === undefined) throw new Error("usage: main.ts --data-dir <folder> [--port <port>]");
  const node = await SimulatedLnd.start({ dataDir, ...(values.port ? { port: Number(values.port) } : {}) });
  const { grpc, nodeKey } = node;
  process.stdout.write(`${JSON.stringify({ grpcUrl: grpc.url, nodeKey, dataDir })}\n`);
  // Without exit(), Node 26 can spin for ever while it cleans up TLS connections that were being closed.
  const end = (): void => void node.stop().then(() => process.exit(0));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
