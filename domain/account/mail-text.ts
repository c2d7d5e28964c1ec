/** Mail programs show these as a link, which would lead to a page of the writer's choice. */
const LOOKS_LIKE_A_LINK = /:\/\/|\w\.\w|@/u;
const NAMED_MAX = 100;

/** A name that somebody else chose, in one line; null if it would be shown as a link. */
export function mailName(name: string): string | null {
  // An older name may have line breaks.
  const line = name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").slice(0, NAMED_MAX);
  return LOOKS_LIKE_A_LINK.test(line) ? null : line;
}
