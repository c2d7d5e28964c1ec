import { expect } from "chai";
import { meaningOf } from "../../../domain/chain/node-refusal";

describe("a node's refusal of a transaction", () => {
  const means = (meaning: string, reasons: readonly string[]): void => {
    for (const reason of reasons) expect(meaningOf(reason), reason).to.equal(meaning);
  };

  it("is the network's where coins are missing, spent elsewhere, or a rule of consensus is broken", () => {
    means("inputs-missing", ["bad-txns-inputs-missingorspent"]);
    means("void", [
      "txn-mempool-conflict",
      "bad-txns-in-belowout, value in (0.1) < value out (0.2)",
      "mandatory-script-verify-flag-failed (Signature must be zero)",
    ]);
  });

  it("is the node's own where its policy, a limit of its mempool or of the call refuses", () => {
    means("policy", [
      "min relay fee not met, 100 < 200",
      "mempool min fee not met",
      "insufficient fee, rejecting replacement",
      "dust",
      "datacarrier",
      "scriptpubkey",
      "tx-size",
      "too-long-mempool-chain",
      "bad-txns-nonstandard-inputs",
      "bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth 3",
      "mempool-script-verify-flag-failed (non-mandatory)",
      "non-BIP68-final",
      "Unspendable output exceeds maximum configured by user (maxburnamount)",
      "a reason of a version to come",
    ]);
  });
});
