import { DomainError } from "../domain/errors";
import type { CommandContext } from "./context";

/**
 * Lightning payments of all stores go to the operator's own node, so only a server admin switches it for a store.
 * @throws DomainError `admin-only` for an API key; `payment-method-unavailable` for an admin: this version takes no
 * Lightning payments yet.
 */
export function switchLightning({ actor }: CommandContext): never {
  if (actor.kind === "key")
    throw new DomainError(
      "admin-only",
      "Lightning payments go to the server's own node: only a server admin switches them on or off for a store.",
    );
  throw new DomainError("payment-method-unavailable", "This version takes no Lightning payments yet.");
}
