import { expect } from "chai";
import fc from "fast-check";
import { makeSendSlots, type SendSlot, type SendSlots, SENDS } from "../../../domain/webhook/send-slots";
import type { Destination, WaitingDelivery } from "../../../domain/webhook/waiting-lines";

describe("a worker's requests in flight", () => {
  let slots: SendSlots;
  let number: number;
  beforeEach(() => {
    slots = makeSendSlots();
    number = 0;
  });

  const to = (storeId: string, host: string | null = null, proven = false): WaitingDelivery => ({
    deliveryId: `whd_${(number += 1)}`,
    attempt: 1,
    destination: { storeId, host, proven },
  });
  /** As many as get a slot. */
  function takeAll(count: number, each: (at: number) => WaitingDelivery): SendSlot[] {
    return Array.from({ length: count }, (_, at) => slots.take(each(at))).filter((slot) => slot !== null);
  }
  const idsOf = (called: readonly WaitingDelivery[]) => called.map(({ deliveryId }) => deliveryId);

  it("are at most 100 for one store, whatever its hosts and webhooks", () => {
    expect(takeAll(200, (at) => to("a", `h${at}:443`, true))).to.have.length(100);
    expect(slots.take(to("b", "h:443", true))).not.to.equal(null);
  });

  it("are at most 16 for one store and host, and 128 for one host over all stores", () => {
    expect(takeAll(50, () => to("a", "h:443"))).to.have.length(16);
    expect(takeAll(50, () => to("a", "h:444"))).to.have.length(16);
    expect(takeAll(1_000, (at) => to(`s${at % 50}`, "h:443"))).to.have.length(128 - 16);
  });

  it("are limited by their store only when the operator allows the host", () => {
    expect(takeAll(200, () => to("a", null, true))).to.have.length(100);
  });

  it("leave half of all to endpoints whose last attempt succeeded when others hang", () => {
    expect(takeAll(1_000, (at) => to(`bad${at % 50}`))).to.have.length(SENDS / 2);
    expect(takeAll(1_000, (at) => to(`good${at % 50}`, null, true))).to.have.length(SENDS / 2);
  });

  it("go to waiting stores by rotation, and later requests do not overtake", () => {
    const taken = takeAll(SENDS / 2, (at) => to(`first${at % 10}`));
    const crowd = Array.from({ length: 20 }, () => to("crowd"));
    const single = to("single");
    for (const one of [...crowd, single]) expect(slots.wait(one)).to.deep.equal([]);
    const called = taken.slice(0, 3).flatMap((slot) => {
      const next = idsOf(slots.leave(slot));
      expect(slots.take(to("late")), "a slot that is kept").to.equal(null);
      return next;
    });
    expect(called).to.deep.equal([crowd[0], single, crowd[1]].map((one) => one?.deliveryId));
    expect(slots.takeKept(single.deliveryId)?.destination).to.deep.equal(single.destination);
    expect(slots.takeKept(single.deliveryId)).to.equal(null);
  });

  it("pass to the next when a called one does not come", () => {
    const taken = takeAll(SENDS / 2, (at) => to(`s${at % 10}`));
    const [one, two] = [to("a"), to("b")];
    slots.wait(one);
    slots.wait(two);
    expect(idsOf(slots.leave(taken[0]!))).to.deep.equal([one.deliveryId]);
    expect(idsOf(slots.forget(one.deliveryId))).to.deep.equal([two.deliveryId]);
    expect(slots.forget(one.deliveryId)).to.deep.equal([]);
  });

  it("are kept for one that begins to wait just after a slot became free", () => {
    const one = to("a");
    expect(slots.wait(one)).to.deep.equal([one]);
    expect(slots.takeKept(one.deliveryId)).not.to.equal(null);
  });

  it("start one whose host and store were both full when both have room", () => {
    const host = takeAll(128, (at) => to(`s${at % 8}`, "h:443"));
    const store = takeAll(100, (at) => to("a", `h${at}:443`));
    const one = to("a", "h:443");
    slots.wait(one);
    expect(slots.leave(host[0]!)).to.deep.equal([]);
    expect(idsOf(slots.leave(store[0]!))).to.deep.equal([one.deliveryId]);
  });

  it("stay within the limits, and keep nothing waiting that the limits allow, in any sequence", () => {
    const destinations = fc.record<Destination>({
      storeId: fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h"),
      host: fc.constantFrom(null, "x:1", "y:1"),
      proven: fc.boolean(),
    });
    const steps = fc.array(fc.oneof(destinations, fc.nat(200)), { minLength: 300, maxLength: 900 });
    fc.assert(
      fc.property(steps, (story) => {
        slots = makeSendSlots();
        const flying: SendSlot[] = [];
        const come = (called: readonly WaitingDelivery[]): void => {
          for (const { deliveryId } of called) flying.push(slots.takeKept(deliveryId)!);
        };
        for (const step of story) {
          if (typeof step === "number") {
            const [ended] = flying.splice(step % Math.max(1, flying.length), 1);
            if (ended !== undefined) come(slots.leave(ended));
            continue;
          }
          const one = to(step.storeId, step.host, step.proven);
          const slot = slots.take(one);
          if (slot === null) come(slots.wait(one));
          else flying.push(slot);
        }
        const most = (of: (one: Destination) => string | null): number => {
          const counts = new Map<string, number>();
          for (const { destination } of flying) {
            const key = of(destination);
            if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
          }
          return Math.max(0, ...counts.values());
        };
        expect(most(() => "all")).to.be.at.most(SENDS);
        expect(most(({ proven }) => (proven ? null : "unproven"))).to.be.at.most(SENDS / 2);
        expect(most(({ storeId }) => storeId)).to.be.at.most(100);
        expect(most(({ host }) => host)).to.be.at.most(128);
        expect(most(({ storeId, host }) => host && `${storeId} ${host}`)).to.be.at.most(16);
        // Whoever still waits is called when the others have ended, and all slots are free in the end.
        for (let ended = flying.pop(); ended !== undefined; ended = flying.pop()) come(slots.leave(ended));
        expect(takeAll(SENDS, (at) => to(`new${at % 10}`, null, true))).to.have.length(SENDS);
      }),
      { numRuns: 40 },
    );
  });
});
