import { invalidField } from "../../domain/errors";

const NAME_MAX_LENGTH = 100;

/** In a mail, a name with line breaks could pass for the mail's own text. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Trimmed, 1 to 100 characters on one line. @throws DomainError `validation-failed` at `/name`. */
export function checkedName(text: string): string {
  const name = text.trim();
  if (name === "" || name.length > NAME_MAX_LENGTH)
    throw invalidField("/name", `Must have 1 to ${NAME_MAX_LENGTH} characters.`);
  if (UNPRINTABLE.test(name)) throw invalidField("/name", "Must have no line breaks or control characters.");
  return name;
}
