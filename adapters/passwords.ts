import type { PasswordsPort } from "../commands/ports";
import { inTurns } from "../domain/in-turns";

/** Argon2id as OWASP's Password Storage Cheat Sheet has it: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Native code that every process has the adapter of: loaded with the first password. */
const library = () => import("@node-rs/argon2");

/** Hashing takes a thread of the pool that files and name look-ups need too, and memory: so many at a time, the others wait. */
const AT_ONCE = 2;

export function makePasswords(): PasswordsPort {
  const inTurn = inTurns(AT_ONCE);
  const hash = async (password: string): Promise<string> => (await library()).hash(password, COST);
  let nobodys: Promise<string> | null = null;
  return {
    hash: (password) => inTurn(() => hash(password)),
    async verify(hashed, password) {
      const { verify } = await library();
      nobodys ??= hash("nobody's password");
      const against = hashed ?? (await nobodys);
      const equal = await inTurn(() => verify(against, password));
      return hashed !== null && equal;
    },
    async isStale(hashed) {
      const { parseOptions } = await library();
      const { memoryCost, timeCost } = parseOptions(hashed);
      return (memoryCost ?? 0) < COST.memoryCost || (timeCost ?? 0) < COST.timeCost;
    },
  };
}
