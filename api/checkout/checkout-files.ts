import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { readFiles } from "../http/built-files";

export type CheckoutFiles = NonNullable<ReturnType<typeof readCheckoutFiles>>;

const manifest = z.object({ "main.ts": z.object({ file: z.string(), css: z.tuple([z.string()]) }) });

/** Null if not built: the page still works. */
export function readCheckoutFiles(folder: string) {
  const list = path.join(folder, "manifest.json");
  if (!existsSync(list)) return null;
  const { file: script, css } = manifest.parse(JSON.parse(readFileSync(list, "utf8")))["main.ts"];
  return { script, styles: css[0], files: readFiles(folder) };
}
