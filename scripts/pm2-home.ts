import { mkdirSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { folderElsewhere } from "./postgres-folder";

/** A Unix socket's path must fit in 104 bytes on macOS, and PM2's longest is `interactor.sock`. */
const HOME_MAX_BYTES = 85;

/** PM2's folder in `dir`; where that is too long for its sockets, one that `dir` remembers. It may not exist yet. */
export function pm2HomeIn(dir: string): string {
  const home = path.join(dir, "pm2");
  if (Buffer.byteLength(home) <= HOME_MAX_BYTES) return home;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  return folderElsewhere(path.join(dir, "pm2-folder"), path.join(os.tmpdir(), "quittance-pm2-"));
}
