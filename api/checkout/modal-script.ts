import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import type { Context } from "koa";
import { readFiles, serveFile, type BuiltFile } from "../http/built-files";

/** What `npm run build` made of web/modal. */
export interface ModalScript {
  file: BuiltFile;
  etag: string;
}

const NAME = "modal.js";
/** Its address stays, so that a new one must reach shops soon. */
const MAX_AGE_SECONDS = 600;

/** Null where it is not built. */
export function readModalScript(folder: string): ModalScript | null {
  const file = existsSync(folder) ? readFiles(folder).get(NAME) : undefined;
  if (file === undefined) return null;
  return { file, etag: createHash("sha256").update(file.content).digest("base64url").slice(0, 22) };
}

/** For the pages of any shop, as a classic script: it is public, and needs no CORS. */
export function serveModalScript(koa: Context, { file, etag }: ModalScript): void {
  serveFile(koa, NAME, file);
  koa.set("Cache-Control", `public, max-age=${MAX_AGE_SECONDS}`);
  koa.set("Cross-Origin-Resource-Policy", "cross-origin");
  koa.etag = `W/"${etag}"`; // the same whichever way it is compressed
  if (koa.fresh) koa.status = 304;
}
