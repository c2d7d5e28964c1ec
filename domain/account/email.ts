import { invalidField } from "../errors";

const EMAIL_MAX_LENGTH = 254;
/**
 * Only sending a mail can prove an address (RFC 5321 allows far more). No characters that are invisible or turn the
 * direction: two addresses would look the same.
 */
const PART = String.raw`[^\s@,:;<>"()[\]\\\p{C}\p{Default_Ignorable_Code_Point}]`;
const EMAIL = new RegExp(`^${PART}{1,64}@${PART}+$`, "u");

/** As an address is stored: typed otherwise it is the same account's. */
export function normalisedEmail(text: string): string {
  return text.trim().toLowerCase();
}

/** Null if it is none. */
export function readEmail(text: string): string | null {
  const email = normalisedEmail(text);
  const host = email.slice(email.indexOf("@") + 1);
  const wrong = email.length > EMAIL_MAX_LENGTH || !EMAIL.test(email) || /^[.-]|\.\.|[.-]$/.test(host);
  return wrong ? null : email;
}

/** @throws DomainError `validation-failed` at `/email`. */
export function checkedEmail(text: string): string {
  const email = readEmail(text);
  if (email === null) throw invalidField("/email", "Must be an e-mail address, such as me@example.com.");
  return email;
}
