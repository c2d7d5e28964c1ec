/**
 * The items without which it does not fail any more, as far as that is found by leaving out one chunk after the other,
 * all of them first, then halves, quarters, and so on. Of the time that is left it answers the best so far.
 */
export async function shrink<T>(
  items: readonly T[],
  fails: (kept: readonly T[]) => Promise<boolean>,
  isOver: () => boolean = () => false,
): Promise<readonly T[]> {
  let kept = items;
  for (let size = items.length; size > 0; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let from = 0; from < kept.length;) {
      if (isOver()) return kept;
      const fewer = kept.toSpliced(from, size);
      if (await fails(fewer)) kept = fewer;
      else from += size;
    }
  return kept;
}

/** What is wrong, without the names and numbers that differ when something else is left out. */
export function sentenceOf(wrong: string): string {
  const [first = ""] = wrong.split("\n");
  return first.replaceAll(/\binv_\w+|\b[0-9a-f]{8,}\b|\d+/g, "#");
}
