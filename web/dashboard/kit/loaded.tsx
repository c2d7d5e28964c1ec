import { Skeleton, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { Failure } from "./failure";

interface LoadedProps<T> {
  query: { data: T | undefined; error: unknown; isPending: boolean; refetch: () => unknown };
  lines?: number;
  children: (data: T) => ReactNode;
}

export function Loaded<T>({ query, lines = 4, children }: LoadedProps<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (!query.isPending) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return <Loading lines={lines} />;
}

export function Loading({ lines = 4 }: { lines?: number }) {
  return (
    <Stack gap="sm" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={line === 0 ? 28 : 44} width={line === 0 ? "40%" : "100%"} />
      ))}
    </Stack>
  );
}
