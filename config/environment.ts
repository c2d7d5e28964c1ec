import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { SETTINGS } from "./schema";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Empty means not set. */
export const given = (env: Environment, name: string): string | undefined => env[name]?.trim() || undefined;

/** systemd: `LoadCredential=quittance:/etc/quittance/credentials`. */
const PREFIX = "quittance_";

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? "unknown error";

function readCredentials(folder: string): { values: Record<string, string>; problems: string[] } {
  const values: Record<string, string> = {};
  const problems: string[] = [];
  let names: string[] = [];
  try {
    names = readdirSync(folder).sort();
  } catch (error) {
    problems.push(`CREDENTIALS_DIRECTORY cannot be read (${codeOf(error)}): systemd sets it`);
  }
  for (const file of names) {
    const name = file.startsWith(PREFIX) ? file.slice(PREFIX.length) : file;
    if (!Object.hasOwn(SETTINGS, name)) {
      // Without the prefix it may have another purpose.
      if (name !== file) problems.push(`the credential ${name} is not a setting: rename or remove its file`);
    } else if (given(values, name) !== undefined)
      problems.push(`${name} is given as two credentials, ${name} and ${PREFIX}${name}: remove one of them`);
    else
      try {
        values[name] = new TextDecoder("utf-8", { fatal: true })
          .decode(readFileSync(path.join(folder, file)))
          .trim();
      } catch (error) {
        problems.push(`the credential ${name} cannot be read (${codeOf(error)})`);
      }
  }
  return { values, problems };
}

export function withCredentials(env: Environment): { env: Environment; problems: string[] } {
  const folder = given(env, "CREDENTIALS_DIRECTORY");
  if (folder === undefined) return { env, problems: [] };
  const { values, problems } = readCredentials(folder);
  const both = Object.keys(values).filter(
    (name) => given(values, name) !== undefined && given(env, name) !== undefined,
  );
  problems.push(
    ...both.map((name) => `${name} is set both in the environment and as a credential: remove one of them`),
  );
  const set = Object.entries(values).filter(([, value]) => value !== "");
  return { env: { ...env, ...Object.fromEntries(set) }, problems };
}
