import { QueryFailedError } from "typeorm";

/**
 * SQLSTATEs about the input of a statement: cardinality, data, constraints, triggers, programs and their limits,
 * and an internal error. The others are about the server, the connection, time, rights or the schema.
 */
const ABOUT_THE_DATA = /^(21|22|23|27|38|39|44|54|P0|XX)/;
/** Too many parameters. Poolers report broken connections with the same code. */
const TOO_MANY_PARAMETERS = /^bind message/;
/** Errors in code, which no connection, node or clock causes. */
const OF_PROGRAMS = [TypeError, RangeError, ReferenceError, SyntaxError, EvalError, URIError];

/** Marks a failure as concerning only the item being processed. */
export class ItemFailure extends Error {
  override readonly name = "ItemFailure";
}

/**
 * Whether an error may concern only the invoice, transaction or block that was being processed, and not what all of
 * them need.
 */
export function isItemFailure(error: unknown): boolean {
  if (error instanceof QueryFailedError) {
    const { code, message } = error.driverError as Error & { code?: unknown };
    return (typeof code === "string" && ABOUT_THE_DATA.test(code)) || TOO_MANY_PARAMETERS.test(message);
  }
  return error instanceof ItemFailure || OF_PROGRAMS.some((kind) => error instanceof kind);
}
