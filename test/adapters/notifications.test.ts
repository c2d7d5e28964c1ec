import { expect } from "chai";
import { makeNotifications } from "../../adapters/notifications";
import { recordingLog } from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { startGate } from "../support/gate";

describe("notifications", () => {
  it("end when they are closed while they wait for a database that was away, and listen no more", async () => {
    const gate = await startGate(await testDatabaseUrl());
    await gate.shut();
    const { log, lines } = recordingLog();
    let heard = 0;
    const notifications = makeNotifications(
      { databaseUrl: gate.url, applicationName: "test", channel: "test", log },
      { onMessage: () => undefined, onHearing: () => void (heard += 1) },
    );
    notifications.open();
    await eventually(() => lines.length >= 3); // half a second and more is left until it tries again
    await gate.open();
    await notifications.close();
    await gate.shut();
    expect(heard).to.equal(0);
  });
});
