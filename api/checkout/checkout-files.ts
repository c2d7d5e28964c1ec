import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { readFiles, type BuiltFile } from "../http/built-files";

export interface CheckoutFiles {
  script: string;
  styles: string;
  files: ReadonlyMap<string, BuiltFile>;
}

const manifest = z.object({ "main.ts": z.object({ file: z.string(), css: z.tuple([z.string()]) }) });

/** Null if not built: the page still works. */
export function readCheckoutFiles(folder: string): CheckoutFiles | null {
  const list = path.join(folder, "manifest.json");
  if (!existsSync(list)) return null;
  const { file: script, css } = manifest.parse(JSON.parse(readFileSync(list, "utf8")))["main.ts"];
  return { script, styles: css[0], files: readFiles(folder) };
}
