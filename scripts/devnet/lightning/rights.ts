import { randomBytes } from "node:crypto";
import { GrpcRefusal } from "./grpc-refusal";

export type Right = "info:read" | "offchain:read" | "invoices:read" | "invoices:write";

/** Hex, in LND's own form: what a macaroon says that it may do. */
export interface Macaroons {
  admin: string;
  /** LND's stock invoice.macaroon. */
  invoice: string;
  /** What a store gives of its own node. */
  quittance: string;
}

const RIGHTS_OF: Record<keyof Macaroons, readonly string[]> = {
  admin: [
    ...["address:read", "address:write", "info:read", "info:write", "invoices:read", "invoices:write"],
    ...[
      "macaroon:generate",
      "macaroon:read",
      "macaroon:write",
      "message:read",
      "message:write",
      "offchain:read",
    ],
    ...["offchain:write", "onchain:read", "onchain:write", "peers:read", "peers:write", "signer:generate"],
    "signer:read",
  ],
  invoice: ["address:read", "address:write", "invoices:read", "invoices:write", "onchain:read"],
  quittance: ["info:read", "invoices:read", "invoices:write", "offchain:read"],
};

export function makeMacaroons(): Macaroons {
  const { admin, invoice, quittance } = RIGHTS_OF;
  return {
    admin: makeMacaroon(admin).toString("hex"),
    invoice: makeMacaroon(invoice).toString("hex"),
    quittance: makeMacaroon(quittance).toString("hex"),
  };
}

/** As LND 0.20 bakes it: libmacaroons' version 2, with an identifier of the bakery's version 3. */
export function makeMacaroon(rights: readonly string[], caveats: readonly string[] = []): Buffer {
  const operations = new Map<string, string[]>();
  for (const right of rights) {
    const [, entity = "", action = ""] = /^([^:]*):(.*)$/.exec(right) ?? [];
    operations.set(entity, [...(operations.get(entity) ?? []), action]);
  }
  const identifier = Buffer.concat([
    Buffer.from([3]),
    field(0x0a, randomBytes(16)),
    field(0x12, Buffer.from("0")),
    ...[...operations].map(([entity, actions]) =>
      field(
        0x1a,
        Buffer.concat([
          field(0x0a, Buffer.from(entity)),
          ...actions.map((each) => field(0x12, Buffer.from(each))),
        ]),
      ),
    ),
  ]);
  const end = Buffer.from([0]);
  return Buffer.concat([
    Buffer.from([2]),
    ...[field(1, Buffer.from("lnd")), field(2, identifier), end],
    ...caveats.flatMap((caveat) => [field(2, Buffer.from(caveat)), end]),
    ...[end, field(6, randomBytes(32))],
  ]);
}

/** Its key, its length and its bytes: libmacaroons and protobuf write them alike. */
function field(key: number, bytes: Buffer): Buffer {
  const length = bytes.length < 0x80 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7];
  return Buffer.concat([Buffer.from([key, ...length]), bytes]);
}

/** With LND's words (macaroons/service.go, macaroon-bakery), which have no code of their own. @throws GrpcRefusal */
export function checkRight(known: Macaroons, given: readonly string[], right: Right): void {
  const [hex] = given;
  if (given.length !== 1 || hex === undefined)
    throw new GrpcRefusal("UNKNOWN", `expected 1 macaroon, got ${given.length}`);
  const name = (["admin", "invoice", "quittance"] as const).find((one) => known[one] === hex.toLowerCase());
  if (name === undefined)
    throw new GrpcRefusal("UNKNOWN", "verification failed: signature mismatch after caveat verification");
  if (!RIGHTS_OF[name].includes(right)) throw new GrpcRefusal("UNKNOWN", "permission denied");
}
