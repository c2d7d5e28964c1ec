import { expect } from "chai";
import type { RefusalMeaning } from "../../../domain/chain/node-refusal";
import { type OnchainPayment, isDoubleSpent } from "../../../domain/chain/onchain-payment";
import {
  EVICTED_AFTER_MS,
  GIVEN_UP_AFTER_BLOCKS,
  refusePayment,
} from "../../../domain/chain/refused-payment";

const NOW = new Date("2026-03-01T12:00:00Z");
const later = (ms: number): Date => new Date(NOW.getTime() + ms);

function payment(given: Partial<OnchainPayment> = {}): OnchainPayment {
  return {
    id: "aa:0",
    invoiceId: "inv",
    amountSats: 1_000n,
    state: "pending",
    neverCounts: false,
    firstSeenAt: NOW,
    confirmedAt: null,
    requiredConfirmations: 1,
    txid: "aa",
    vout: 0,
    blockHeight: null,
    blockHash: null,
    conflictTxid: null,
    conflictSince: null,
    conflictHeights: [],
    missingSince: null,
    inputsMissingHeight: null,
    givenUp: false,
    leftBlockAt: null,
    ...given,
  };
}

describe("a payment that the node refuses", () => {
  const refused = (
    given: Partial<OnchainPayment>,
    height: number,
    meaning: RefusalMeaning = "inputs-missing",
    now = NOW,
    monitoringEnded = false,
  ) => refusePayment(payment(given), { now, height, meaning, inGap: false, monitoringEnded });

  it("counts no refusal while a gap is open, and starts again after it", () => {
    const before = payment({ missingSince: NOW, inputsMissingHeight: 100, confirmedAt: NOW });
    const now = later(EVICTED_AFTER_MS * 10);
    const { kind, payment: after } = refusePayment(before, {
      now,
      height: 200,
      meaning: "inputs-missing" as const,
      inGap: true,
      monitoringEnded: false,
    });
    expect(kind).to.equal("missing");
    expect(after).to.deep.equal({ ...before, missingSince: now, inputsMissingHeight: null });
  });

  it("keeps, in a gap, the time since when a lost one is missing: the node is asked about it for so long", () => {
    const before = payment({
      state: "evicted",
      missingSince: NOW,
      inputsMissingHeight: 100,
      confirmedAt: NOW,
    });
    const refusal = {
      now: later(EVICTED_AFTER_MS),
      height: 200,
      meaning: "inputs-missing" as const,
      inGap: true,
      monitoringEnded: false,
    };
    expect(refusePayment(before, refusal).payment).to.deep.equal({ ...before, inputsMissingHeight: null });
  });

  it("is evicted after ten minutes, and not before", () => {
    const { payment: missing } = refused({}, 100);
    expect(missing).to.include({ state: "pending", missingSince: NOW });
    expect(refused(missing, 100, "inputs-missing", later(EVICTED_AFTER_MS - 1)).kind).to.equal("missing");
    expect(refused(missing, 100, "inputs-missing", later(EVICTED_AFTER_MS))).to.deep.include({
      kind: "evicted",
    });
  });

  it("stays when the node's own policy refuses it, until the monitoring has ended", () => {
    const { kind, payment: unwanted } = refused(
      { missingSince: NOW },
      100,
      "policy",
      later(EVICTED_AFTER_MS),
    );
    expect({ kind, ...unwanted }).to.deep.include({
      kind: "unwanted",
      missingSince: later(EVICTED_AFTER_MS),
    });
    expect(refused(unwanted, 100, "policy", later(2 * EVICTED_AFTER_MS - 1), true).kind).to.equal("missing");
    expect(refused(unwanted, 100, "policy", later(2 * EVICTED_AFTER_MS), true).kind).to.equal("evicted");
  });

  it("stays when its ancestors are not all stored, but for the fallback of one that was confirmed before", () => {
    const pending = refused({ missingSince: NOW }, 100, "ancestors-missing", later(2 * EVICTED_AFTER_MS));
    expect(pending.kind).to.equal("unwanted");
    const lost = { confirmedAt: NOW, state: "evicted", inputsMissingHeight: 100 } as const;
    expect(refused(lost, 100 + GIVEN_UP_AFTER_BLOCKS, "ancestors-missing").kind).to.equal("given-up");
  });

  it("is double-spent when it was confirmed before and its inputs have been missing for six blocks", () => {
    let { payment: lost } = refused({ confirmedAt: NOW, state: "evicted" }, 100);
    for (let height = 101; height < 100 + GIVEN_UP_AFTER_BLOCKS; height += 1) {
      lost = refused(lost, height).payment;
      expect(isDoubleSpent(lost), `at ${height}`).to.equal(false);
    }
    const { kind, payment: gone } = refused(lost, 100 + GIVEN_UP_AFTER_BLOCKS);
    expect({ kind, state: gone.state, doubleSpent: isDoubleSpent(gone) }).to.deep.equal({
      kind: "given-up",
      state: "replaced",
      doubleSpent: true,
    });
    expect(refused(gone, 200)).to.deep.equal({ kind: "missing", payment: gone });
  });

  it("is counted from the start when another refusal came in between", () => {
    const { payment: first } = refused({ confirmedAt: NOW }, 100);
    const { payment: other } = refused(first, 105, "void");
    expect(other.inputsMissingHeight).to.equal(null);
    expect(refused(other, 106).payment).to.include({ inputsMissingHeight: 106, givenUp: false });
  });

  it("is never double-spent when it was never confirmed", () => {
    const { payment: missing } = refused({}, 100);
    const { kind, payment: after } = refused(missing, 200);
    expect(kind).to.equal("missing");
    expect(isDoubleSpent(after)).to.equal(false);
  });
});
