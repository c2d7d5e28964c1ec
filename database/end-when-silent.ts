import type { Socket } from "node:net";
import type { Client, ClientBase } from "pg";

/** The server ends a statement after this time. */
export const STATEMENT_TIMEOUT_MS = 30_000;
/** A server that is up has answered by then, if only that the statement took too long. */
const SILENT_MS = STATEMENT_TIMEOUT_MS + 5_000;

/** The code of a socket that timed out: by it callers recognise that the database is away. */
class SilentDatabaseError extends Error {
  override readonly name = "SilentDatabaseError";
  readonly code = "ETIMEDOUT";
}

/**
 * For a pool's `onConnect`: breaks a connection on which something was sent and no byte came back for this long. A
 * host that vanished without a reset never answers, and TCP keeps trying for a quarter of an hour; keep-alive does
 * not probe while something is unacknowledged. An idle connection stays open, and a large answer takes as long as its
 * bytes come (docs/adr/0045).
 */
export function endWhenSilent(silentMs = SILENT_MS): (client: ClientBase) => void {
  return (client) => {
    const socket = (client as Client).connection.stream as Socket;
    // A request has one answer, and `drain` means that none is outstanding.
    let answeredBytes = socket.bytesWritten;
    client.on("drain", () => (answeredBytes = socket.bytesWritten));
    socket.on("timeout", () => {
      if (socket.bytesWritten !== answeredBytes)
        socket.destroy(new SilentDatabaseError(`the database was silent for ${silentMs / 1_000} s`));
    });
    socket.setTimeout(silentMs);
  };
}
