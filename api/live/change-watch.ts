import { z } from "zod";
import type { Listener, Notifications } from "../../adapters/notifications";
import type { Change } from "../../commands/server/notify-changes";
import type { Log } from "../../commands/ports";

/** `missed`: everything has to be loaded again. */
export interface ChangeHearer {
  changed(change: Change): void;
  missed(): void;
}

export type ChangeWatch = ReturnType<typeof makeChangeWatch>;

export interface ChangeWatchParts {
  listen: (listener: Listener) => Notifications;
  log: Log;
}

const id = z.string();
/** Loose: a newer process may send more fields. */
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

class Hearers {
  private readonly byId = new Map<string | null, Set<ChangeHearer>>();

  add(id: string | null, hearer: ChangeHearer): () => void {
    const those = this.byId.get(id) ?? new Set();
    this.byId.set(id, those.add(hearer));
    return () => {
      those.delete(hearer);
      if (those.size === 0 && this.byId.get(id) === those) this.byId.delete(id);
    };
  }

  of(id: string | null): Iterable<ChangeHearer> {
    return this.byId.get(id) ?? [];
  }

  *all(): Iterable<ChangeHearer> {
    for (const those of this.byId.values()) yield* those;
  }
}

/**
 * From all processes (commands/server/notify-changes) to this one's readers, without whom no connection is open. Each
 * hears until it calls what is returned, and always also of the chain.
 */
export function makeChangeWatch({ listen, log }: ChangeWatchParts) {
  const ofStores = new Hearers();
  const ofInvoices = new Hearers();

  function* hearersOf(change: Change): Iterable<ChangeHearer> {
    if (change.topic === "chain") yield* everybody();
    else yield* ofStores.of(change.storeId);
    if (change.topic === "invoices") yield* ofInvoices.of(change.invoiceId);
  }
  function* everybody(): Iterable<ChangeHearer> {
    yield* ofStores.all();
    yield* ofInvoices.all();
  }

  const notifications = listen({
    onMessage(payload) {
      const change = parse(payload);
      if (change === null) log.debug({}, "live: unknown notification");
      else for (const hearer of hearersOf(change)) hearer.changed(change);
    },
    onHearing() {
      for (const hearer of everybody()) hearer.missed();
    },
  });

  function watch(hearers: Hearers, id: string | null, hearer: ChangeHearer): () => void {
    const unwatch = hearers.add(id, hearer);
    notifications.open();
    return unwatch;
  }

  return {
    /** Null: the server. */
    watch: (storeId: string | null, hearer: ChangeHearer) => watch(ofStores, storeId, hearer),
    watchInvoice: (invoiceId: string, hearer: ChangeHearer) => watch(ofInvoices, invoiceId, hearer),
    close: () => notifications.close(),
  };
}
