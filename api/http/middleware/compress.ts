import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Middleware } from "koa";

/** Less fits into one packet as it is. */
const LEAST_BYTES = 1_400;
const compress = promisify(gzip);

/** Public pages only: beside a secret the length would reveal it (BREACH). */
export const compressPublic: Middleware = async (koa, next) => {
  await next();
  const body: unknown = koa.body;
  if (typeof body !== "string" || Buffer.byteLength(body) < LEAST_BYTES) return;
  koa.vary("Accept-Encoding");
  if (koa.acceptsEncodings("gzip", "identity") !== "gzip") return;
  koa.body = await compress(body);
  koa.set("Content-Encoding", "gzip");
};
