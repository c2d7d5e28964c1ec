import type { QueryClient } from "@tanstack/react-query";

export const segments = (path: string): string[] => path.split("/").filter(Boolean);

/** And below it. A first answer on its way may be older than the change: it is loaded again once it has come. */
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
