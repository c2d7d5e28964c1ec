import path from "node:path";
import type { MethodDefinition, ServiceDefinition } from "@grpc/grpc-js";
import { type Method, Reader, Root, type Type } from "protobufjs";

type Described = MethodDefinition<object, object>;

/** LND 0.20's own (test/tools/lnd-protos.test.ts). */
const FILES = ["lightning.proto", "stateservice.proto", "invoicesrpc/invoices.proto"];

/**
 * All that a client writes and reads of these messages. Empty parts that nobody reads would take a hundred times their
 * size in memory.
 */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  GetInfoResponse: ["identity_pubkey", "version", "synced_to_chain", "chains"],
  Chain: ["network"],
  ListChannelsResponse: ["channels"],
  Channel: ["remote_balance", "remote_constraints"],
  ChannelConstraints: ["chan_reserve_sat"],
  AddInvoiceResponse: ["r_hash", "payment_request"],
  Invoice: [
    ...["memo", "description_hash", "value", "expiry", "private", "payment_request"],
    ...["r_hash", "r_preimage", "state", "amt_paid_msat", "settle_date", "settle_index"],
  ],
};

/** At the first call: a process without Lightning loads nothing. */
function once<T>(make: () => T): () => T {
  let made: T | null = null;
  return () => (made ??= make());
}

function load(): Root {
  const root = new Root();
  root.resolvePath = (_, file) => path.join(__dirname, "protos", file);
  return root.loadSync(FILES, { keepCase: true });
}

const whole = once(() => load().resolveAll());
const ofClient = once(() => {
  const root = load();
  for (const [name, fields] of Object.entries(FIELDS)) {
    const message = root.lookupType(`lnrpc.${name}`);
    for (const field of message.fieldsArray) if (!fields.includes(field.name)) message.remove(field);
  }
  return root.resolveAll();
});

/** 64-bit numbers are strings, bytes are Buffers. */
const READ = { longs: String, enums: String, defaults: true };

/** No LND has so many. */
const ENTRIES_MAX = 10_000;

/** Before any is read: an empty entry takes two bytes, and hundreds in memory. @throws Error */
function countEntries({ fieldsArray, fieldsById }: Type, bytes: Buffer): void {
  if (!fieldsArray.some(({ repeated }) => repeated)) return;
  const reader = Reader.create(bytes);
  for (let entries = 0; reader.pos < reader.len;) {
    const tag = reader.uint32();
    reader.skipType(tag & 7);
    if (fieldsById[tag >>> 3]?.repeated === true) entries += 1;
    if (entries > ENTRIES_MAX) throw new Error("too many entries");
  }
}

function codec(type: Type | null): { write(value: object): Buffer; read(bytes: Buffer): object } {
  if (type === null) throw new Error("LND's protocol files lack a message");
  return {
    write(value) {
      const bytes = type.encode(type.fromObject(value)).finish();
      // Outside the pool, of which a stream's request would keep 8 KiB.
      const own = Buffer.allocUnsafeSlow(bytes.length);
      own.set(bytes);
      return own;
    },
    read(bytes) {
      countEntries(type, bytes);
      return type.toObject(type.decode(bytes), READ);
    },
  };
}

function described(service: string, method: Method): Described {
  const [request, response] = [codec(method.resolvedRequestType), codec(method.resolvedResponseType)];
  return {
    path: `/${service}/${method.name}`,
    requestStream: method.requestStream === true,
    responseStream: method.responseStream === true,
    requestSerialize: request.write,
    requestDeserialize: request.read,
    responseSerialize: response.write,
    responseDeserialize: response.read,
  };
}

/** With whole messages, as LND itself has them. */
export function lndService(service: string): ServiceDefinition {
  const { methodsArray } = whole().lookupService(service);
  return Object.fromEntries(methodsArray.map((method) => [method.name, described(service, method)]));
}

const known = new Map<string, Described>();

/** With the fields that are written and read here. */
export function clientMethod(service: string, name: string): Described {
  const path = `/${service}/${name}`;
  const before = known.get(path);
  if (before !== undefined) return before;
  const method = ofClient().lookupService(service).methods[name];
  if (method === undefined) throw new Error(`LND's protocol files have no ${path}`);
  const now = described(service, method);
  known.set(path, now);
  return now;
}
