import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import type { Context } from "koa";
import { readFiles, serveFile, type BuiltFile } from "../http/built-files";

export interface ModalScript {
  name: "modal.js" | "btcpay.js";
  file: BuiltFile;
  etag: string;
}

/** Its address stays: a new one must reach shops soon. */
const MAX_AGE_SECONDS = 600;

export function readModalScript(folder: string, name: ModalScript["name"]): ModalScript | null {
  const file = existsSync(folder) ? readFiles(folder).get(name) : undefined;
  if (file === undefined) return null;
  return { name, file, etag: createHash("sha256").update(file.content).digest("base64url").slice(0, 22) };
}

/** Public, as a classic script: it needs no CORS. */
export function serveModalScript(koa: Context, { name, file, etag }: ModalScript): void {
  serveFile(koa, name, file);
  koa.set("Cache-Control", `public, max-age=${MAX_AGE_SECONDS}`);
  koa.set("Cross-Origin-Resource-Policy", "cross-origin");
  koa.etag = `W/"${etag}"`; // the same whichever way it is compressed
  if (koa.fresh) koa.status = 304;
}
