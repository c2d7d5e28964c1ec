import { QueryFailedError } from "typeorm";

/** SQLSTATEs about a statement's input; others are about server, connection, time, rights or schema. */
const ABOUT_THE_DATA = /^(21|22|23|27|38|39|44|54|P0|XX)/;
/** Poolers report broken connections with the same code. */
const TOO_MANY_PARAMETERS = /^bind message/;
/** No connection, node or clock causes them. */
const OF_PROGRAMS = [TypeError, RangeError, ReferenceError, SyntaxError, EvalError, URIError];

/** Concerns only the item being processed. */
export class ItemFailure extends Error {
  override readonly name = "ItemFailure";
}

/** May concern only this invoice, transaction or block, and not all of them. */
export function isItemFailure(error: unknown): boolean {
  if (error instanceof QueryFailedError) {
    const { code, message } = error.driverError as Error & { code?: unknown };
    return (typeof code === "string" && ABOUT_THE_DATA.test(code)) || TOO_MANY_PARAMETERS.test(message);
  }
  return error instanceof ItemFailure || OF_PROGRAMS.some((kind) => error instanceof kind);
}
