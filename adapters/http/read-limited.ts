/** An answer's body as text. Of one with more bytes no more is read, and `tooLong` makes the error. */
export async function readLimited(
  response: Response,
  bytesMax: number,
  tooLong: () => Error,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
