import type { QueryClient } from "@tanstack/react-query";

/** The beginning of a query's key: its path. */
export const segments = (path: string): string[] => path.split("/").filter(Boolean);

/**
 * Reloads what is shown of `path` and below it. A first answer that is on its way may be older than the change, and
 * the library does not reload while it has none: such a query is loaded again once it has come.
 */
export async function refresh(client: QueryClient, path: string): Promise<void> {
  const queryKey = segments(path);
  const withoutAnswer = client.getQueryCache().findAll({
    queryKey,
    fetchStatus: "fetching",
    predicate: ({ state }) => state.data === undefined,
  });
  const others = client.invalidateQueries({ queryKey });
  await Promise.allSettled(withoutAnswer.flatMap(({ promise }) => promise ?? []));
  await client.invalidateQueries({ queryKey, predicate: (query) => withoutAnswer.includes(query) });
  await others;
}
