import type { ZxcvbnFactory } from "@zxcvbn-ts/core";
import { invalidField } from "./errors";

const MIN_LENGTH = 10;
const MAX_LENGTH = 1_000;
/** What is judged: any text of so many characters that is no pattern is strong, and judging takes longer than linear time. */
const JUDGED_LENGTH = 32;
/** Guessed within a million tries: on a list of passwords, a walk over the keyboard, a repetition. */
const WEAKEST_SCORE = 2;
const OUR_WORDS = ["quittance", "bitcoin", "lightning", "satoshi"];

let judge: Promise<ZxcvbnFactory> | null = null;

/** Lists of words by the ten thousand: loaded when the first password is set. */
async function newJudge(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory: Judge }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import("@zxcvbn-ts/core"),
    import("@zxcvbn-ts/language-common"),
  ]);
  return new Judge({ dictionary, graphs: adjacencyGraphs });
}

async function scoreOf(password: string, words: string[]): Promise<number> {
  judge ??= newJudge();
  return (await judge).check(password.slice(0, JUDGED_LENGTH), words).score;
}

/**
 * A password as it is hashed: in Unicode's form NFKC, so that every keyboard gives the same (NIST SP 800-63B, 3.1.1.2).
 */
export function normalisedPassword(text: string): string {
  return text.normalize("NFKC");
}

/**
 * Any characters, long enough, and none of those that are tried first (NIST SP 800-63B): no rules of composition.
 * @throws DomainError `validation-failed` at `/password`.
 */
export async function checkedPassword(text: string, email: string): Promise<string> {
  const password = normalisedPassword(text);
  const length = [...password].length;
  if (length < MIN_LENGTH || length > MAX_LENGTH)
    throw invalidField("/password", `Must have ${MIN_LENGTH} to ${MAX_LENGTH} characters.`);
  const words = [email, ...email.split(/[@.]/), ...OUR_WORDS].filter((word) => word.length > 2);
  if (password.toLowerCase() === email || (await scoreOf(password, words)) < WEAKEST_SCORE)
    throw invalidField("/password", "Is too easy to guess. Some unrelated words make a good password.");
  return password;
}
