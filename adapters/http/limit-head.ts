import type { ClientRequest } from "node:http";
import type { Socket } from "node:net";
import { SendFailure } from "./send-failure";

/** 1xx answers before the status. */
const INTERIM_LIMIT = 10;
/** All of them together with the status line and its headers. */
const HEAD_LIMIT_BYTES = 32 * 1024;
/** Node parses a read (64 KiB) to its end, even when its request is destroyed after the first bytes. */
const PIECE_BYTES = 256;

/**
 * Ends a request with `invalid-response` when its answer begins with too many interim answers or too many bytes.
 * Node's own limit for headers begins again with each interim answer, and one costs as much time as a short
 * response: without an end they would keep the process from all other work.
 */
export function limitHead(outgoing: ClientRequest): void {
  let interim = 0;
  let bytes = 0;
  let answered = false;
  const refuse = (): void => void outgoing.destroy(new SendFailure("invalid-response"));
  outgoing.on("information", () => {
    interim += 1;
    if (interim > INTERIM_LIMIT) refuse();
  });
  outgoing.once("response", () => (answered = true));
  outgoing.once("socket", (socket: Socket) => {
    const push = socket.push.bind(socket);
    socket.push = (chunk: Buffer | null) => {
      if (chunk === null) return push(null);
      let more = true;
      for (let at = 0; at < chunk.length && !socket.destroyed; at += PIECE_BYTES) {
        const piece = chunk.subarray(at, at + PIECE_BYTES);
        bytes += piece.length;
        if (!answered && bytes > HEAD_LIMIT_BYTES) refuse();
        else more = push(piece);
      }
      return more;
    };
  });
}
