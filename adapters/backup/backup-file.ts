import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type { SecretsPort } from "../../commands/ports";
import { NETWORKS } from "../../domain/network";

// A dump of pg_dump in its custom format, with a manifest FILE.json beside it (docs/adr/0078).

/** Cannot be written, or must not be restored. The message says what to do. */
export class BackupFileError extends Error {
  override readonly name = "BackupFileError";
}

const factsSchema = z.strictObject({
  quittanceBackup: z.literal(1, { error: "Backup of another format: use a newer version of Quittance." }),
  version: z.string(),
  takenAt: z.iso.datetime(),
  network: z.enum(NETWORKS),
  /** Fits one `APP_SECRET`, and says nothing else of it. */
  secretCheck: z.base64(),
  migrations: z.array(z.string().regex(/^[A-Za-z]+\d+$/)).min(1),
  wallets: z.array(z.strictObject({ id: z.string(), nextIndex: z.int().nonnegative() })),
  /** Processed; null before the first. */
  chainHeight: z.int().nonnegative().nullable(),
});
export type BackupFacts = z.infer<typeof factsSchema>;

const manifestSchema = factsSchema.extend({
  sha256: z.string(),
  /** All else, under `APP_SECRET`. */
  mac: z.base64(),
});
export type Manifest = z.infer<typeof manifestSchema>;

const macFields = ({ mac: _, ...proven }: Omit<Manifest, "mac"> & { mac?: string }): string[] => [
  "backup",
  JSON.stringify(proven),
];
const manifestOf = (file: string): string => `${file}.json`;

const OF_FILES = /^(E(ACCES|PERM|NOENT|NOTDIR|ISDIR|EXIST|NOSPC|DQUOT|FBIG|ROFS|IO|NAMETOOLONG|MFILE))$/;

async function named<T>(file: string, what: "read" | "written", work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && "code" in error && OF_FILES.test(String(error.code)))
      throw new BackupFileError(`${file} cannot be ${what}: ${error.message}.`, { cause: error });
    throw error;
  }
}

/**
 * For its owner only. The dump gets its name once all is complete and on the disk; an existing dump is never replaced.
 * Returns its size.
 * @throws BackupFileError
 */
export async function writeBackup(
  file: string,
  facts: BackupFacts,
  { mac }: Pick<SecretsPort, "mac">,
  dumpTo: (file: string) => Promise<void>,
): Promise<number> {
  const there = await access(file).then(
    () => true,
    () => false,
  );
  if (there)
    throw new BackupFileError(`${file} exists already. Name another file, or remove this one first.`);
  const partial = `${file}.${randomBytes(4).toString("hex")}.partial`;
  try {
    await named(file, "written", writeFile(partial, "", { flag: "wx", mode: 0o600 }));
    await dumpTo(partial);
    const manifest = { ...factsSchema.parse(facts), sha256: await sha256Of(partial) };
    const text = JSON.stringify({ ...manifest, mac: mac(macFields(manifest)).toString("base64") });
    await named(file, "written", finish(file, partial, `${text}\n`));
    return (await stat(file)).size;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function finish(file: string, partial: string, manifest: string): Promise<void> {
  await writeFile(manifestOf(file), manifest, { mode: 0o600, flush: true });
  await sync(partial);
  await rename(partial, file);
  await sync(path.dirname(file)); // until then a crash may lose both names
}

async function sync(file: string): Promise<void> {
  const handle = await open(file, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** Nothing of it is proven yet. @throws BackupFileError */
export async function readManifest(file: string): Promise<Manifest> {
  const text = await named(manifestOf(file), "read", readFile(manifestOf(file), "utf8"));
  const value = z.string().transform(parseJson).pipe(manifestSchema).safeParse(text);
  if (value.success) return value.data;
  const [issue] = value.error.issues;
  throw new BackupFileError(
    `${manifestOf(file)} is no manifest of a backup that this version can read (${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}).`,
  );
}

function parseJson(text: string, ctx: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    ctx.addIssue({ code: "custom", message: "Not JSON" });
    return z.NEVER;
  }
}

/** Writes nothing. @throws BackupFileError when truncated, damaged, or altered without `APP_SECRET`. */
export async function verifyBackup(
  file: string,
  manifest: Manifest,
  { macMatches }: Pick<SecretsPort, "macMatches">,
): Promise<void> {
  const sha256 = await named(file, "read", sha256Of(file));
  if (sha256 !== manifest.sha256 || !macMatches(Buffer.from(manifest.mac, "base64"), macFields(manifest)))
    throw new BackupFileError(
      `The backup is truncated, damaged or was altered: ${file} and ${manifestOf(file)} do not match. Use another one.`,
    );
}
