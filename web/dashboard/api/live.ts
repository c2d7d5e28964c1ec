import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { apiUrl } from "./base";
import { refresh } from "./refresh";

interface Change {
  topic: "invoices" | "deliveries" | "alerts" | "webhooks";
  invoiceId?: string;
  webhookId?: string;
}

/** Sums: many changes are one request. */
const SUMS = ["/home", "/payments"];
const SUMS_AT_MOST_EVERY_MS = 3000;

function pathsOf({ topic, invoiceId, webhookId }: Change): string[] {
  switch (topic) {
    case "invoices":
      return ["/invoices", "/reviews"];
    case "deliveries":
      return [
        `/webhooks/${webhookId ?? ""}`,
        ...(invoiceId === undefined ? ["/invoices"] : [`/invoices/${invoiceId}/deliveries`]),
      ];
    case "alerts":
      return ["/alerts"];
    case "webhooks":
      return ["/webhooks"];
  }
}

function makeSumsRefresh(client: QueryClient, storeId: string) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    soon(): void {
      timer ??= setTimeout(() => {
        timer = undefined;
        for (const path of SUMS) void refresh(client, `/stores/${storeId}${path}`);
      }, SUMS_AT_MOST_EVERY_MS);
    },
    stop: (): void => clearTimeout(timer),
  };
}

export function useLive(storeId: string): void {
  const client = useQueryClient();
  useEffect(() => {
    const all = (): void => void refresh(client, `/stores/${storeId}`);
    const sums = makeSumsRefresh(client, storeId);
    const stream = new EventSource(apiUrl(`/stores/${storeId}/stream`));
    stream.addEventListener("open", all); // changes before, or while it was away, were not received
    stream.addEventListener("changes", ({ data }: MessageEvent<string>) => {
      const { changes } = JSON.parse(data) as { changes: Change[] };
      for (const path of new Set(changes.flatMap(pathsOf))) void refresh(client, `/stores/${storeId}${path}`);
      sums.soon();
    });
    stream.addEventListener("refetch", all);
    stream.addEventListener("signed-out", () => {
      stream.close();
      void refresh(client, "/session");
      all();
    });
    return () => {
      stream.close();
      sums.stop();
    };
  }, [client, storeId]);
}
