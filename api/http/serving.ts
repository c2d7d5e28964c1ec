import type { Log } from "../../commands/ports";
import type { HttpParts } from "./parts";
import { makeReadUntilFound, type ReadUntilFound } from "../live/read-until-found";
import { Places } from "./places";

/** The routes of one process share these. */
export interface Serving {
  log: Log;
  limits: HttpParts["limits"];
  readUntilFound: ReadUntilFound;
  /** Each takes some 16 MiB: a page of 2 MiB as rows, as text and as bytes. */
  largeAnswers: Places;
  /** Requests with large bodies that are being read and parsed. */
  largeBodies: Places;
  /** Files that are being read. */
  exports: Places;
  /** Requests that change very many rows, chunk by chunk, or that compute for long. */
  bulkChanges: Places;
}

export function makeServing(parts: HttpParts): Serving {
  return {
    log: parts.log,
    limits: parts.limits,
    readUntilFound: makeReadUntilFound(parts),
    largeAnswers: new Places({ of: "large responses", total: 8, ofOne: 1, waitMs: 5_000 }),
    largeBodies: new Places({ of: "large bodies", total: 32, ofOne: 2, waitMs: 5_000 }),
    exports: new Places({ of: "exports", total: 8, ofOne: 2, waitMs: 1_000 }),
    bulkChanges: new Places({ of: "bulk requests", total: Infinity, ofOne: 1, waitMs: 0 }),
  };
}
