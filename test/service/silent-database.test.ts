import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { SimulatedNode } from "../support/devnet/simulated-node";
import { SimulatedLnd } from "../support/devnet/simulated-lnd";
import { eventually } from "../support/eventually";
import { startGate, type Gate } from "../support/gate";
import { APPS_WITH_LIGHTNING, Service, type App } from "../support/service";

const NEW = "New/None";
const PROCESSING = "Processing/None";
const SETTLED = "Settled/None";
const WATCHERS: readonly App[] = ["chain-watch", "lightning-watch", "reconcile"];
const SERVES_AGAIN_WITHIN_MS = 60_000;

describe("end to end, with a database host that vanishes without a word", function () {
  let node: SimulatedNode;
  let lnd: SimulatedLnd;
  let gate: Gate;
  let service: Service;
  let folder: string;
  let stopping = false;

  before(async function () {
    this.timeout(120_000);
    [node, lnd] = await Promise.all([SimulatedNode.start(), SimulatedLnd.start()]);
    folder = mkdtempSync(path.join(os.tmpdir(), "quittance-silent-"));
    writeFileSync(path.join(folder, "tls.cert"), lnd.grpc.tlsCert);
    writeFileSync(path.join(folder, "macaroon"), lnd.grpc.adminMacaroon);
    service = await Service.start({
      bitcoindRpcUrl: node.rpcUrl,
      lndEnvironment: {
        LND_GRPC_URL: lnd.grpc.url,
        LND_TLS_CERT_FILE: path.join(folder, "tls.cert"),
        LND_MACAROON_FILE: path.join(folder, "macaroon"),
      },
      wayToDatabase: async (url) => (gate = await startGate(url)).url,
    });
  });
  after(async function () {
    this.timeout(60_000);
    stopping = true;
    await service?.stop();
    await gate?.shut();
    await Promise.all([node?.stop(), lnd?.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(function () {
    if (this.currentTest?.state === "failed") process.stderr.write(service.logs());
  });

  /** As PM2 does, if they end: which of them do depends on what was under way when the host vanished. */
  function restartWatchers(): void {
    const watching = new Map(
      WATCHERS.flatMap((app) => service.processesOf(app).map((process) => [process, app] as const)),
    );
    for (const [{ exited }, app] of watching)
      void exited.then(({ code }) => (code === 1 && !stopping ? service.startApp(app) : undefined));
  }

  it("serves again within a minute, in every process, when a new primary has its name", async function () {
    this.timeout(180_000);
    const seen = await service.createInvoice();
    const unseen = await service.createInvoice();
    const byLightning = await service.createInvoice();
    await node.pay(seen.address, 100_000n);
    await service.told(seen.invoiceId, [NEW, PROCESSING]);
    await service.told(unseen.invoiceId, [NEW]);
    await service.told(byLightning.invoiceId, [NEW]);
    restartWatchers();

    gate.swallow();
    const since = performance.now();
    const left = (): number => Math.max(1, SERVES_AGAIN_WITHIN_MS - (performance.now() - since));
    await node.pay(unseen.address, 100_000n);
    await node.mine(1);
    await lnd.pay(byLightning.bolt11);

    const created = eventually(() => service.createInvoice(), left(), 500);
    const told = [seen, unseen, byLightning].map(({ invoiceId }) =>
      eventually(() => expect(service.eventsOf(invoiceId).at(-1)).to.equal(SETTLED), left()),
    );
    const after = await created;
    await Promise.all(told);
    await node.pay(after.address, 100_000n);
    await eventually(() => expect(service.eventsOf(after.invoiceId)).to.include(PROCESSING), left());
    // Each says that it lives, by the new primary.
    await eventually(async () => {
      const rows = await service.db.query<{ worker: string }[]>(
        "SELECT DISTINCT worker FROM heartbeats WHERE beat_at > clock_timestamp() - interval '6 seconds'",
      );
      expect(rows.map(({ worker }) => worker)).to.have.members([
        ...new Set([...APPS_WITH_LIGHTNING, ...service.programs()]),
      ]);
    }, left());
    expect(performance.now() - since).to.be.below(SERVES_AGAIN_WITHIN_MS);
    for (const app of APPS_WITH_LIGHTNING) expect(service.processesOf(app), app).to.have.lengthOf(1);
    await service.told(seen.invoiceId, [NEW, PROCESSING, SETTLED]);
    await service.told(unseen.invoiceId, [NEW, SETTLED], [NEW, PROCESSING, SETTLED]);
    await service.told(byLightning.invoiceId, [NEW, SETTLED]);
    await service.told(after.invoiceId, [NEW, PROCESSING]);
    await service.verify();
    service.expectSigned();
  });
});
