import { expect } from "chai";
import type { DataSource } from "typeorm";
import { resolveAlertByHand } from "../../../commands/installation/resolve-alert-by-hand";
import { makeSendAlerts } from "../../../commands/server/send-alerts";
import { changeStore } from "../../../commands/stores/change-store";
import { Alert } from "../../../entities/alert";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildStore } from "../../support/factories";

describe("the alert about weakened settings", () => {
  let db: DataSource;
  let ctx: TestContext;
  beforeEach(async () => {
    db = await testDatabase();
    ctx = await testContext({ db });
  });
  afterEach(() => db.destroy());
  const alerts = () => db.manager.find(Alert, { where: { kind: "settings-weakened" }, order: { at: "ASC" } });
  const sent = () => ctx.lines.filter(({ level }) => level === "error").map(({ message }) => message);

  it("is one for a store, however often a key changes them back and forth", async () => {
    const [one, other] = [await buildStore(ctx), await buildStore(ctx)];
    const byKey = { ...ctx, actor: { kind: "key", id: null } as const };
    for (let times = 0; times < 5; times += 1) {
      await changeStore(byKey, one.id, { paymentTolerance: "1" });
      await changeStore(byKey, one.id, { paymentTolerance: "0" });
    }
    await changeStore(byKey, other.id, { paymentTolerance: "1" });
    const raised = await alerts();
    expect(raised.map(({ storeId }) => storeId)).to.deep.equal([one.id, other.id]);
    expect(raised[0]?.message).to.include("paymentTolerance were changed by an API key, in 5 changes");
  });

  it("is sent again with what each further change adds, and the next is another one once it is resolved", async () => {
    const { id: storeId } = await buildStore(ctx);
    const tell = makeSendAlerts(ctx, []);
    await changeStore({ ...ctx, actor: { kind: "key", id: null } }, storeId, { paymentTolerance: "1" });
    expect(await tell()).to.equal(1);
    await changeStore({ ...ctx, actor: { kind: "user", id: null } }, storeId, { paymentTolerance: "99" });
    expect(await tell()).to.equal(1);
    await changeStore(ctx, storeId, { paymentTolerance: "0" });
    expect(await tell()).to.equal(0);
    expect(sent()).to.have.length(2);
    expect(sent()[0]).to.include("paymentTolerance were changed by an API key. If none");
    expect(sent()[1]).to.include("were changed by an API key and by a user, in 2 changes");

    const [{ id: alertId } = { id: "" }] = await alerts();
    await resolveAlertByHand(ctx, { alertId });
    await changeStore({ ...ctx, actor: { kind: "key", id: null } }, storeId, { paymentTolerance: "2" });
    expect(await alerts()).to.have.length(2);
    expect(await tell()).to.equal(1);
    expect(sent()[2]).to.equal(sent()[0]);
  });
});
