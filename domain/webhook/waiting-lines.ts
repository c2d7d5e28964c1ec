/** Where a request goes, as far as limits depend on it. */
export interface Destination {
  storeId: string;
  /** Host and port; null for the operator's own, which only the store limits. */
  host: string | null;
  /** The endpoint's last attempt succeeded. */
  proven: boolean;
}

/** A delivery that waits for a slot. */
export interface WaitingDelivery {
  deliveryId: string;
  attempt: number;
  destination: Destination;
}

/** Waiting deliveries that are remembered for a store. */
const OF_STORE = 100;
/** For all stores, in addition to the first of each. */
const IN_ALL = 10_000;

/** Waiting deliveries, each for one limit; for each limit by store, the next store first, and in their order. */
export interface WaitingLines {
  has(deliveryId: string): boolean;
  hasRoomFor(storeId: string): boolean;
  join(limit: string, delivery: WaitingDelivery): void;
  /** Removes one, wherever it waits. */
  part(delivery: WaitingDelivery): void;
  /** Removes the first of the next store, which then comes after the others. */
  shift(limit: string): WaitingDelivery | undefined;
}

type Line = Map<string, Map<string, WaitingDelivery>>;

export function makeWaitingLines(): WaitingLines {
  const lines = new Map<string, Line>();
  const limitOf = new Map<string, string>(); // the limit for which a delivery waits
  const waiting = new Map<string, number>(); // by store

  function part({ deliveryId, destination: { storeId } }: WaitingDelivery): void {
    const limit = limitOf.get(deliveryId);
    if (limit === undefined) return;
    const line = lines.get(limit);
    const ofStore = line?.get(storeId);
    ofStore?.delete(deliveryId);
    if (ofStore?.size === 0) line?.delete(storeId);
    if (line?.size === 0) lines.delete(limit);
    limitOf.delete(deliveryId);
    const others = (waiting.get(storeId) ?? 0) - 1;
    if (others > 0) waiting.set(storeId, others);
    else waiting.delete(storeId);
  }

  return {
    has: (deliveryId) => limitOf.has(deliveryId),
    hasRoomFor(storeId) {
      const ofStore = waiting.get(storeId) ?? 0;
      return ofStore === 0 || (ofStore < OF_STORE && limitOf.size < IN_ALL);
    },
    join(limit, delivery) {
      const { deliveryId, destination } = delivery;
      const line: Line = lines.get(limit) ?? new Map<string, Map<string, WaitingDelivery>>();
      const ofStore = line.get(destination.storeId) ?? new Map<string, WaitingDelivery>();
      lines.set(limit, line.set(destination.storeId, ofStore.set(deliveryId, delivery)));
      limitOf.set(deliveryId, limit);
      waiting.set(destination.storeId, (waiting.get(destination.storeId) ?? 0) + 1);
    },
    part,
    shift(limit) {
      const line = lines.get(limit);
      for (const [storeId, ofStore] of line ?? []) {
        const [first] = ofStore.values();
        line?.delete(storeId);
        line?.set(storeId, ofStore);
        if (first !== undefined) part(first);
        return first;
      }
      return undefined;
    },
  };
}
