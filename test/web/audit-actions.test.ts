import { expect } from "chai";
import type { AuditAction } from "../../commands/server/write-audit";
import { AUDIT_ACTIONS, readAuditSearch } from "../../web/dashboard/pages/admin-audit/search";

/** The compiler refuses a name that is no action. */
const OFFERED: readonly AuditAction[] = AUDIT_ACTIONS;
/** And one that is not offered. */
const COMPLETE: [Exclude<AuditAction, (typeof AUDIT_ACTIONS)[number]>] extends [never] ? true : never = true;

describe("the audit log's filters", () => {
  it("offer each action once", () => {
    expect(COMPLETE).to.equal(true);
    expect(new Set(OFFERED).size).to.equal(OFFERED.length);
  });

  it("read what is valid from an address, and ignore the rest", () => {
    expect(readAuditSearch({ action: "wallet.changed", store: "abc", actor: 7, more: true })).to.deep.equal({
      action: "wallet.changed",
      store: "abc",
      actor: "7",
    });
    expect(readAuditSearch({ action: "nothing", store: "", actor: {} })).to.deep.equal({});
  });
});
