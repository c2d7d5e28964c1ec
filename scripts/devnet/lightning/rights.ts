import { randomBytes } from "node:crypto";
import { GrpcRefusal } from "./grpc-refusal";

export type Right = "info:read" | "offchain:read" | "invoices:read" | "invoices:write";

/** The rights of a simulated LND: unlike LND's own, its macaroons do not contain them. */
export interface Macaroons {
  admin: string;
  /** The rights of LND's stock invoice.macaroon that matter here. */
  invoice: string;
}

export function makeMacaroons(): Macaroons {
  return { admin: randomBytes(64).toString("hex"), invoice: randomBytes(64).toString("hex") };
}

const RIGHTS_OF: Record<keyof Macaroons, readonly Right[]> = {
  admin: ["info:read", "offchain:read", "invoices:read", "invoices:write"],
  invoice: ["invoices:read", "invoices:write"],
};

/** With LND's words (macaroons/service.go, macaroon-bakery), which have no code of their own. @throws GrpcRefusal */
export function checkRight(known: Macaroons, given: readonly string[], right: Right): void {
  const [hex] = given;
  if (given.length !== 1 || hex === undefined)
    throw new GrpcRefusal("UNKNOWN", `expected 1 macaroon, got ${given.length}`);
  const name = (["admin", "invoice"] as const).find((one) => known[one] === hex.toLowerCase());
  if (name === undefined)
    throw new GrpcRefusal("UNKNOWN", "verification failed: signature mismatch after caveat verification");
  if (!RIGHTS_OF[name].includes(right)) throw new GrpcRefusal("UNKNOWN", "permission denied");
}
