/** A position in a feed as readers get it: of one length, so that it grows as text as well. */
export function feedPosition(seq: string | bigint): string {
  return seq.toString().padStart(16, "0");
}
