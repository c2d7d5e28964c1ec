import { makeSendSlots, type SendSlot } from "../../domain/webhook/send-slots";
import type { Destination, WaitingDelivery } from "../../domain/webhook/waiting-lines";
import type { CommandContext } from "../context";
import type { JobOutcome, Work } from "../jobs";
import { perDatabase } from "../../database/per-database";

/** How long a slot is kept for a delivery that was woken: its job may have gone to another worker. */
const KEPT_MS = 5_000;
/**
 * After this long a waiting job runs without having been woken, which is needed only if the worker that would wake
 * it has died.
 */
const BACK_MS = { proven: 5_000, unproven: 30_000 };

/** The slots of this worker, shared by everything that runs in it. */
const slotsOf = perDatabase(() => makeSendSlots());

/** A job's hold on this worker's slots: none until its request may be sent. */
export interface SendPlace {
  /** False if a limit is reached. */
  take(destination: Destination): boolean;
  /** The job's outcome if `take` was refused: it waits in the queue, and is called when it is next. */
  wait(): JobOutcome;
  /** Returns the slots, and starts the next delivery. */
  leave(): void;
}

export function sendPlace(
  ctx: CommandContext,
  { deliveryId, attemptNumber: attempt }: Work<"webhook-delivery">,
): SendPlace {
  const slots = slotsOf(ctx.db);
  let slot = slots.takeKept(deliveryId);
  let refused: WaitingDelivery | null = null;
  function leave(): void {
    const left = slot;
    slot = null;
    if (left !== null) call(ctx, slots.leave(left));
  }
  return {
    take(destination) {
      if (slot !== null && serves(slot, destination)) return true;
      leave();
      const wanted = { deliveryId, attempt, destination };
      slot = slots.take(wanted);
      if (slot === null) refused = wanted;
      return slot !== null;
    },
    wait() {
      const delayMs = refused?.destination.proven === true ? BACK_MS.proven : BACK_MS.unproven;
      return {
        kind: "wait",
        delayMs,
        onWaiting: () => refused && call(ctx, slots.wait(refused)),
      };
    },
    leave,
  };
}

/** The endpoint may have been changed, or have failed, since the slot was given. */
function serves({ destination: { host, proven } }: SendSlot, wanted: Destination): boolean {
  return host === wanted.host && (!proven || wanted.proven);
}

/** Best effort: a delivery that does not use its slot in time loses it, and is retried later. */
function call(ctx: CommandContext, called: readonly WaitingDelivery[]): void {
  if (called.length === 0) return;
  const slots = slotsOf(ctx.db);
  void ctx.enqueue(
    "webhook-delivery",
    called.map(({ deliveryId, attempt }) => ({ deliveryId, attempt })),
  );
  setTimeout(() => {
    for (const { deliveryId } of called) call(ctx, slots.forget(deliveryId));
  }, KEPT_MS).unref();
}
