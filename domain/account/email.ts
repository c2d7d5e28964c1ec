import { invalidField } from "../errors";

const EMAIL_MAX_LENGTH = 254;
/** Only sending a mail can prove an address (RFC 5321 allows far more). */
const EMAIL = /^[^\s@,;<>"()\p{Cc}]{1,64}@[^\s@,;<>"()\p{Cc}]+$/u;

/** As an address is stored: typed otherwise it is the same account's. */
export function normalisedEmail(text: string): string {
  return text.trim().toLowerCase();
}

/** @throws DomainError `validation-failed` at `/email`. */
export function checkedEmail(text: string): string {
  const email = normalisedEmail(text);
  const host = email.slice(email.indexOf("@") + 1);
  if (email.length > EMAIL_MAX_LENGTH || !EMAIL.test(email) || /^[.-]|\.\.|[.-]$/.test(host))
    throw invalidField("/email", "Must be an e-mail address, such as me@example.com.");
  return email;
}
