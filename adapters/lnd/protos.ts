import path from "node:path";
import { loadSync, type MethodDefinition } from "@grpc/proto-loader";

/** How a method of LND's gRPC is called: its path, and how its request and its answers are written. */
export type Method = MethodDefinition<object, object>;

/** LND's own descriptions, as it publishes them with its version 0.20. */
const FILES = ["lightning.proto", "stateservice.proto", "invoicesrpc/invoices.proto"];

let services: ReturnType<typeof loadSync> | null = null;

/** Read at the first call: a process without Lightning reads nothing. 64-bit numbers are strings, bytes are Buffers. */
function described(): ReturnType<typeof loadSync> {
  const folder = path.dirname(require.resolve("@lightningpolar/lnd-api/package.json"));
  return (services ??= loadSync(FILES, {
    includeDirs: [path.join(folder, "protos")],
    keepCase: true,
    longs: String,
    enums: String,
    defaults: true,
  }));
}

/** `lnrpc.Lightning`, `GetInfo`. */
export function lndMethod(service: string, name: string): Method {
  const method = (described()[service] as Record<string, Method | undefined> | undefined)?.[name];
  if (method === undefined) throw new Error(`LND's descriptions have no ${service}/${name}`);
  return method;
}
