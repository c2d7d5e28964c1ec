import { invalidField } from "../errors";

const MIN_LENGTH = 10;
const MAX_LENGTH = 1_000;
/** The part that is checked: the check takes more than linear time. */
const JUDGED_LENGTH = 32;
/** Guessed within a million tries: on a list of passwords, a walk over the keyboard, a repetition. */
const WEAKEST_SCORE = 2;
const OUR_WORDS = ["quittance", "bitcoin", "lightning", "satoshi"];

/** From 0 to 4, also with knowledge of these words. */
export type PasswordJudge = (text: string, words: string[]) => number;

/** In Unicode's form NFKC, so that every keyboard gives the same (NIST SP 800-63B, 3.1.1.2). */
export function normalisedPassword(text: string): string {
  return text.normalize("NFKC");
}

/**
 * Long enough, and not among the passwords that are tried first (NIST SP 800-63B).
 * @throws DomainError `validation-failed` at `/password`.
 */
export function checkedPassword(text: string, email: string, judge: PasswordJudge): string {
  const password = normalisedPassword(text);
  const length = [...password].length;
  if (length < MIN_LENGTH || length > MAX_LENGTH)
    throw invalidField("/password", `Must have ${MIN_LENGTH} to ${MAX_LENGTH} characters.`);
  const words = [email, ...email.split(/[@.]/), ...OUR_WORDS].filter((word) => word.length > 2);
  const score = judge(password.slice(0, JUDGED_LENGTH), words);
  if (password.toLowerCase() === email || score < WEAKEST_SCORE)
    throw invalidField("/password", "Too easy to guess. Several unrelated words make a good password.");
  return password;
}
