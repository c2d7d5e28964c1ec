import type { Socket } from "node:net";
import type { Client, ClientBase } from "pg";

export const STATEMENT_TIMEOUT_MS = 30_000;
/** Until then a server that is up has answered. */
const SILENT_MS = STATEMENT_TIMEOUT_MS + 5_000;

/** A socket's time-out, by which callers recognise an outage. */
class SilentDatabaseError extends Error {
  override readonly name = "SilentDatabaseError";
  readonly code = "ETIMEDOUT";
}

/**
 * For a pool's `onConnect`: a host that vanished never answers, and TCP keeps trying for a quarter of an hour, without
 * keep-alive probes. Idle connections stay, and a large answer takes as long as its bytes come (docs/adr/0005).
 */
export function endWhenSilent(silentMs = SILENT_MS): (client: ClientBase) => void {
  return (client) => {
    const socket = (client as Client).connection.stream as Socket;
    // `drain`: no answer is outstanding.
    let answeredBytes = socket.bytesWritten;
    client.on("drain", () => (answeredBytes = socket.bytesWritten));
    socket.on("timeout", () => {
      if (socket.bytesWritten !== answeredBytes)
        socket.destroy(new SilentDatabaseError(`the database was silent for ${silentMs / 1_000} s`));
    });
    socket.setTimeout(silentMs);
  };
}
