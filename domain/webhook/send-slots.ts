import { type Destination, makeWaitingLines, type WaitingDelivery } from "./waiting-lines";

/** Requests that a worker has in flight at most. */
export const SENDS = 600;
/** Those to endpoints whose last attempt failed; the rest is reserved for endpoints whose last attempt succeeded. */
const SENDS_UNPROVEN = SENDS / 2;
const SENDS_OF_STORE = 100;
const SENDS_OF_STORE_AND_HOST = 16;
const SENDS_OF_HOST = 128;

/** A place in flight, for one request. */
export interface SendSlot {
  readonly destination: Destination;
}

/** The slots of one worker. Freeing a slot returns the deliveries for which it is now kept, to be woken. */
export interface SendSlots {
  /** Null while a limit is reached; then a later `leave` wakes those that wait. */
  take(delivery: WaitingDelivery): SendSlot | null;
  /** The slot that has been kept for a delivery since it was woken. The caller takes or leaves it. */
  takeKept(deliveryId: string): SendSlot | null;
  /** Waits, without a slot, until it is called. */
  wait(delivery: WaitingDelivery): WaitingDelivery[];
  leave(slot: SendSlot): WaitingDelivery[];
  /** Ends the wait of a delivery that was called and did not come. */
  forget(deliveryId: string): WaitingDelivery[];
}

/** Its name, and its maximum. */
type Limit = readonly [string, number];

/** The narrowest first: a delivery waits for that one. */
function limitsOf({ storeId, host, proven }: Destination): readonly Limit[] {
  return [
    ...(host === null
      ? []
      : ([
          [`store ${storeId} host ${host}`, SENDS_OF_STORE_AND_HOST],
          [`host ${host}`, SENDS_OF_HOST],
        ] as const)),
    [`store ${storeId}`, SENDS_OF_STORE],
    ...(proven ? [] : ([["unproven", SENDS_UNPROVEN]] as const)),
    ["all", SENDS],
  ];
}

interface Counts {
  isFull(limit: Limit): boolean;
  /** The reached limit that refuses a request; undefined if none is reached. */
  reachedBy(destination: Destination): string | undefined;
  add(destination: Destination): SendSlot;
  remove(destination: Destination): void;
}

function makeCounts(): Counts {
  const taken = new Map<string, number>();
  const isFull = ([limit, most]: Limit): boolean => (taken.get(limit) ?? 0) >= most;
  return {
    isFull,
    reachedBy: (destination) => limitsOf(destination).find(isFull)?.[0],
    add(destination) {
      for (const [limit] of limitsOf(destination)) taken.set(limit, (taken.get(limit) ?? 0) + 1);
      return { destination };
    },
    remove(destination) {
      for (const [limit] of limitsOf(destination)) {
        const others = (taken.get(limit) ?? 0) - 1;
        if (others > 0) taken.set(limit, others);
        else taken.delete(limit);
      }
    },
  };
}

/**
 * Shares a worker's requests in flight among stores and hosts. A delivery that finds a limit reached waits for that
 * one limit; a freed slot goes to the next store in rotation, so that later deliveries do not overtake and a limit
 * that stays reached costs nothing.
 */
export function makeSendSlots(): SendSlots {
  const counts = makeCounts();
  const kept = new Map<string, SendSlot>();
  const lines = makeWaitingLines();

  /** A delivery that reaches a wider limit waits for that one from now on. */
  function callNext(limit: Limit): WaitingDelivery[] {
    const called: WaitingDelivery[] = [];
    while (!counts.isFull(limit)) {
      const next = lines.shift(limit[0]);
      if (next === undefined) break;
      const reached = counts.reachedBy(next.destination);
      if (reached !== undefined) {
        lines.join(reached, next);
        continue;
      }
      kept.set(next.deliveryId, counts.add(next.destination));
      called.push(next);
    }
    return called;
  }

  function leave({ destination }: SendSlot): WaitingDelivery[] {
    counts.remove(destination);
    return limitsOf(destination).flatMap(callNext);
  }

  function takeKept(deliveryId: string): SendSlot | null {
    const slot = kept.get(deliveryId) ?? null;
    kept.delete(deliveryId);
    return slot;
  }

  return {
    take(delivery) {
      if (counts.reachedBy(delivery.destination) !== undefined) return null;
      lines.part(delivery);
      return counts.add(delivery.destination);
    },
    takeKept,
    wait(delivery) {
      const { deliveryId, destination } = delivery;
      if (kept.has(deliveryId) || lines.has(deliveryId)) return [];
      const reached = counts.reachedBy(destination);
      if (reached === undefined) {
        kept.set(deliveryId, counts.add(destination));
        return [delivery];
      }
      if (lines.hasRoomFor(destination.storeId)) lines.join(reached, delivery);
      return [];
    },
    leave,
    forget(deliveryId) {
      const slot = takeKept(deliveryId);
      return slot === null ? [] : leave(slot);
    },
  };
}
