import { DomainError } from "../../domain/errors";

/** Objects beyond a lowered limit stay. @throws DomainError `limit-reached` */
export function checkLimit(
  existing: number,
  limit: number,
  what: "webhooks" | "API keys" | "payment links",
): void {
  if (existing >= limit)
    throw new DomainError(
      "limit-reached",
      `A store can have at most ${limit} ${what}. Delete one that is no longer used, or ask the server's operator for more.`,
    );
}
