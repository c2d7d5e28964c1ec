import { z } from "zod";
import type { Listener, Notifications } from "../adapters/notifications";
import type { Change } from "../commands/tell-change";
import type { Log } from "../commands/ports";

/** Somebody who wants to hear of changes. `missed`: some may not have been heard, so all is to be read again. */
export interface ChangeHearer {
  changed(change: Change): void;
  missed(): void;
}

/** Hands on what all processes tell of changes (commands/tell-change) to those in this one who watch a store. */
export interface ChangeWatch {
  /** Of a store, or of the server (null); of the chain in any case. Until the answered function is called. */
  watch(storeId: string | null, hearer: ChangeHearer): () => void;
  close(): Promise<void>;
}

export interface ChangeWatchParts {
  listen: (listener: Listener) => Notifications;
  log: Log;
}

const id = z.string();
/** Loose: a newer process may tell more. */
const message = z.discriminatedUnion("topic", [
  z.object({ topic: z.literal("invoices"), storeId: id, invoiceId: id }),
  z.object({ topic: z.literal("deliveries"), storeId: id, invoiceId: id, webhookId: id, deliveryId: id }),
  z.object({ topic: z.literal("webhooks"), storeId: id, webhookId: id }),
  z.object({ topic: z.literal("alerts"), storeId: id.nullable(), alertId: id }),
  z.object({ topic: z.literal("chain"), storeId: z.null(), height: z.int() }),
]) satisfies z.ZodType<Change>;

function parse(payload: string): Change | null {
  try {
    return message.safeParse(JSON.parse(payload)).data ?? null;
  } catch {
    return null;
  }
}

/** Until somebody watches no connection is held. */
export function makeChangeWatch({ listen, log }: ChangeWatchParts): ChangeWatch {
  const hearers = new Map<string | null, Set<ChangeHearer>>();

  const notifications = listen({
    onMessage(payload) {
      const change = parse(payload);
      if (change === null) {
        log.debug({}, "a change was told in words that are not known here");
        return;
      }
      const heard = change.topic === "chain" ? [...hearers.values()] : [hearers.get(change.storeId) ?? []];
      for (const ofStore of heard) for (const hearer of ofStore) hearer.changed(change);
    },
    onHearing() {
      for (const ofStore of hearers.values()) for (const hearer of ofStore) hearer.missed();
    },
  });

  return {
    watch(storeId, hearer) {
      const ofStore = hearers.get(storeId) ?? new Set();
      hearers.set(storeId, ofStore.add(hearer));
      notifications.open();
      return () => {
        ofStore.delete(hearer);
        if (ofStore.size === 0 && hearers.get(storeId) === ofStore) hearers.delete(storeId);
      };
    },
    close: () => notifications.close(),
  };
}
