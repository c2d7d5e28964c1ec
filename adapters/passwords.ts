import type { PasswordsPort } from "../commands/ports";
import type { PasswordJudge } from "../domain/account/password";
import { DomainError } from "../domain/errors";
import { limitConcurrency, NoTurnError } from "../database/limit-concurrency";

/** Argon2id by OWASP's Password Storage Cheat Sheet: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Native code: loaded with the first password. */
const library = () => import("@node-rs/argon2");

async function newJudge(): Promise<PasswordJudge> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import("@zxcvbn-ts/core"),
    import("@zxcvbn-ts/language-common"),
  ]);
  const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
  return (text, words) => zxcvbn.check(text, words).score;
}

let judge: Promise<PasswordJudge> | null = null;

/** Hashing takes memory and a thread that files and DNS lookups need too. */
const AT_ONCE = 2;
const WAITING_MAX = 50;

/** The service gives no cost of its own. */
export function makePasswords(cost = COST): PasswordsPort {
  const inTurn = limitConcurrency(AT_ONCE, { waitingMax: WAITING_MAX });
  const hash = async (password: string): Promise<string> => (await library()).hash(password, cost);
  let nobodys: Promise<string> | null = null;

  async function waited<T>(work: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    try {
      return await inTurn(work, gone);
    } catch (error) {
      if (!(error instanceof NoTurnError)) throw error;
      throw new DomainError("unavailable", "Too many passwords are being checked. Try again in a moment.");
    }
  }

  const until = (gone: () => AbortSignal | undefined): PasswordsPort => ({
    hash: (password) => waited(() => hash(password), gone()),
    async verify(hashed, password) {
      const { verify } = await library();
      nobodys ??= hash("nobody's password");
      const against = hashed ?? (await nobodys);
      const equal = await waited(() => verify(against, password), gone());
      return hashed !== null && equal;
    },
    async isStale(hashed) {
      const { parseOptions } = await library();
      const { memoryCost, timeCost } = parseOptions(hashed);
      return (memoryCost ?? 0) < cost.memoryCost || (timeCost ?? 0) < cost.timeCost;
    },
    judge: () => (judge ??= newJudge()),
    until,
  });
  return until(() => undefined);
}
