import { User } from "../../entities/user";
import type { Reading } from "../transaction";
import { findAuthentic } from "./authentic-rows";

/** The command line, or a server admin: never an API key or a worker. */
export async function isOperator(from: Reading): Promise<boolean> {
  const { kind, id } = from.actor;
  if (kind !== "user") return kind === "cli" || kind === "admin";
  return id !== null && (await findAuthentic(from, User, { id, admin: true })).length > 0;
}
