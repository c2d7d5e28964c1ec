import { QueryFailedError } from "typeorm";

/**
 * SQLSTATEs that are about what a statement was given: cardinality, data, constraints, triggers, programs and their
 * limits, and an internal error. The others are about the server, the connection, time, rights or the schema.
 */
const ABOUT_THE_DATA = /^(21|22|23|27|38|39|44|54|P0|XX)/;
/** Too many parameters. Its code is the one with which poolers report broken connections. */
const TOO_MANY_PARAMETERS = /^bind message/;
/** Errors of programs, which no connection, node or clock makes. */
const OF_PROGRAMS = [TypeError, RangeError, ReferenceError, SyntaxError, EvalError, URIError];

/** Marks a failure as concerning only the item in work. */
export class ItemFailure extends Error {
  override readonly name = "ItemFailure";
}

/** Whether an error may be about the one invoice, transaction or block that was worked on, and not about what all work needs. */
export function isItemFailure(error: unknown): boolean {
  if (error instanceof QueryFailedError) {
    const { code, message } = error.driverError as Error & { code?: unknown };
    return (typeof code === "string" && ABOUT_THE_DATA.test(code)) || TOO_MANY_PARAMETERS.test(message);
  }
  return error instanceof ItemFailure || OF_PROGRAMS.some((kind) => error instanceof kind);
}
