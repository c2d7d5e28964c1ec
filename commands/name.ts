import { invalidField } from "../domain/errors";

const NAME_MAX_LENGTH = 100;

/** A label that a person gives: trimmed, 1 to 100 characters. @throws DomainError `validation-failed` at `/name`. */
export function checkedName(text: string): string {
  const name = text.trim();
  if (name === "" || name.length > NAME_MAX_LENGTH)
    throw invalidField("/name", `Must have 1 to ${NAME_MAX_LENGTH} characters.`);
  return name;
}
