import path from "node:path";
import { loadSync, type MethodDefinition, type ServiceDefinition } from "@grpc/proto-loader";

export type Method = MethodDefinition<object, object>;

/** LND 0.20's own (scripts/npm/fetch-protos.cjs). */
const FILES = ["lightning.proto", "stateservice.proto", "invoicesrpc/invoices.proto"];

let services: ReturnType<typeof loadSync> | null = null;

/** At the first call: a process without Lightning loads nothing. 64-bit numbers are strings, bytes are Buffers. */
function described(): ReturnType<typeof loadSync> {
  return (services ??= loadSync(FILES, {
    includeDirs: [path.join(__dirname, "protos")],
    keepCase: true,
    longs: String,
    enums: String,
    defaults: true,
  }));
}

export function lndService(service: string): ServiceDefinition {
  const found = described()[service];
  if (found === undefined) throw new Error(`LND's protocol files have no ${service}`);
  return found as ServiceDefinition;
}

export function lndMethod(service: string, name: string): Method {
  const method = lndService(service)[name];
  if (method === undefined) throw new Error(`LND's protocol files have no ${service}/${name}`);
  return method;
}
