import { infiniteQueryOptions, queryOptions, type QueryKey } from "@tanstack/react-query";
import type { Query } from "./base";
import { get } from "./call";
import { segments } from "./refresh";

// The path, so that a change of `/stores/x/invoices` applies to each invoice below it.

const keyOf = (path: string, query: Query): QueryKey => [...segments(path), query];

/** GET below `/api/dashboard`, for useQuery and ensureQueryData. */
export const apiQuery = <T>(path: string, query: Query = {}) =>
  queryOptions({
    queryKey: keyOf(path, query),
    queryFn: ({ signal }) => get<T>(path, { query, signal }),
  });

export interface PageOf<T> {
  data: T[];
  nextCursor: string | null;
}

/** With cursors, for useInfiniteQuery: all rows so far. */
export const apiList = <T>(path: string, query: Query = {}) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(path, query), "pages"],
    queryFn: ({ signal, pageParam }) =>
      get<PageOf<T>>(path, { query: { ...query, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  });
