import type { ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { SendFailure } from "./send-failure";

/** 1xx answers before the status. */
const INTERIM_LIMIT = 10;
/** All of them together with the status line and its headers. */
const HEAD_LIMIT_BYTES = 32 * 1024;
/** A body that comes byte by byte needs six: the length, the byte and two line ends. */
const SENT_FOR_A_BYTE = 8;
/** Node parses a read (64 KiB) to its end, even when its request is destroyed after the first bytes. */
const PIECE_BYTES = 256;

/**
 * Ends a request with `invalid-response` when its answer begins with too many interim answers or too many bytes, and
 * its answer with `answer-too-long` when much more arrives than a body of `bodyBytesMax` needs. Node's own limit for
 * headers begins again with each interim answer, and that for the extensions of a chunk with each chunk: without an
 * end they would keep the process from all other work.
 */
export function limitAnswer(outgoing: ClientRequest, bodyBytesMax: number): void {
  let interim = 0;
  let bytes = 0;
  let bytesMax = HEAD_LIMIT_BYTES;
  let answer: IncomingMessage | null = null;
  const refuse = (): void => {
    if (answer === null) outgoing.destroy(new SendFailure("invalid-response"));
    else answer.destroy(new SendFailure("answer-too-long"));
  };
  outgoing.on("information", () => {
    interim += 1;
    if (interim > INTERIM_LIMIT) refuse();
  });
  outgoing.once("response", (response) => {
    answer = response;
    bytesMax += SENT_FOR_A_BYTE * bodyBytesMax;
  });
  outgoing.once("socket", (socket: Socket) => {
    const push = socket.push.bind(socket);
    socket.push = (chunk: Buffer | null) => {
      if (chunk === null) return push(null);
      let more = true;
      for (let at = 0; at < chunk.length && !socket.destroyed; at += PIECE_BYTES) {
        const piece = chunk.subarray(at, at + PIECE_BYTES);
        bytes += piece.length;
        if (bytes > bytesMax) refuse();
        else more = push(piece);
      }
      return more;
    };
  });
}
