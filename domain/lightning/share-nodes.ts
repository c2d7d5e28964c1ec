export interface ShareableNode {
  id: string;
  /** Null: free. */
  holder: string | null;
}

/** A restart begins so many a second, not all at once. */
const TAKEN_AT_ONCE = 50;

/** A copy keeps its own and takes free ones up to its share; it lets go of some when another has fewer by two or more. */
export function shareOfNodes(
  nodes: readonly ShareableNode[],
  copies: readonly string[],
  { me, held }: { me: string; held: ReadonlySet<string> },
): string[] {
  const mine = nodes.filter(({ id }) => held.has(id));
  const others = copies.filter((copy) => copy !== me);
  const countOf = (copy: string): number => nodes.filter(({ holder }) => holder === copy).length;
  const fewest = Math.min(Infinity, ...others.map(countOf));
  const share = Math.ceil(nodes.length / (others.length + 1));
  const tooMany = Math.max(
    0,
    Math.min(
      Math.floor((mine.length - fewest) / 2),
      mine.length - Math.floor(nodes.length / (others.length + 1)),
    ),
  );
  const kept = mine.slice(0, mine.length - tooMany);
  const room = Math.max(0, Math.min(share - kept.length, TAKEN_AT_ONCE));
  const free = tooMany > 0 ? [] : nodes.filter(({ id, holder }) => holder === null && !held.has(id));
  return [...kept, ...free.slice(0, room)].map(({ id }) => id);
}
