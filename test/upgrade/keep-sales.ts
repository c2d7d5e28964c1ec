import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { SimulatedNode } from "../../scripts/devnet/bitcoin/simulated-node";
import { SimulatedLnd } from "../../scripts/devnet/lightning/simulated-lnd";
import { eventually } from "../support/eventually";
import { lndEnvironment } from "../support/lightning";
import { Service, type PayableInvoice } from "../support/service";
import { keepDatabase, type KeptShop } from "./kept-database";

const NEW = "New/None";
const PROCESSING = "Processing/None";

async function sellInEveryState(
  service: Service,
  node: SimulatedNode,
  lnd: SimulatedLnd,
): Promise<KeptShop["invoices"]> {
  await service.cli("user", "create", "--email", "owner@shop.example", "--admin");
  const sell = (): Promise<PayableInvoice> => service.createInvoice();
  const [byLightning, settled, overpaid, underpaid, expired] = [
    await sell(),
    await sell(),
    await sell(),
    await sell(),
    await sell(),
  ];
  await lnd.pay(byLightning.bolt11);
  await service.told(byLightning.invoiceId, [NEW, "Settled/None"]);
  // The node of Lightning is not kept: what is still open is on-chain alone.
  await service.cli("store", "lightning", "--store", service.shop.storeId, "--off");
  await node.pay(settled.address, 100_000n);
  await node.pay(overpaid.address, 150_000n);
  await node.pay(underpaid.address, 40_000n);
  await node.mine(1);
  await service.until(settled.invoiceId, { status: "Settled", additionalStatus: "None" });
  await service.until(overpaid.invoiceId, { status: "Settled", additionalStatus: "Overpaid" });
  await service.untilPayments(underpaid.invoiceId, "confirmed");
  for (const { invoiceId } of [underpaid, expired]) await service.endTime(invoiceId);
  await service.until(underpaid.invoiceId, { status: "Expired", additionalStatus: "Underpaid" });
  await service.until(expired.invoiceId, { status: "Expired", additionalStatus: "None" });
  const [open, seen] = [await sell(), await sell()];
  await node.pay(seen.address, 100_000n);
  await service.told(seen.invoiceId, [NEW, PROCESSING]);
  await service.told(open.invoiceId, [NEW]);
  // `verify` reads columns that an older version may not have.
  await eventually(async () => {
    const under = "SELECT id FROM webhook_deliveries WHERE state IN ('pending', 'sending')";
    if ((await service.db.query<unknown[]>(under)).length > 0) throw new Error("webhooks are under way");
  });
  const sold = { byLightning, settled, overpaid, underpaid, expired, open, seen };
  return Object.fromEntries(
    Object.entries(sold).map(([name, { invoiceId, address }]) => [name, { invoiceId, address }]),
  ) as KeptShop["invoices"];
}

/**
 * Sells in every state, and keeps the database and the chain in `folder`. `build`: the folder of another version's
 * compiled code.
 */
export async function keepSales(folder: string, build?: string): Promise<void> {
  const nodeFolder = mkdtempSync(path.join(os.tmpdir(), "quittance-keep-"));
  const [node, lnd] = [await SimulatedNode.start({ dataDir: nodeFolder }), await SimulatedLnd.start()];
  const service = await Service.start({
    bitcoindRpcUrl: node.rpcUrl,
    lndEnvironment: lndEnvironment(lnd.grpc),
    ...(build === undefined ? {} : { build }),
  });
  try {
    const invoices = await sellInEveryState(service, node, lnd);
    const { storeId, apiKey, secret } = service.shop;
    const { json } = await service.call(service.shop, "GET", "/webhooks");
    const [{ webhookId = "" } = {}] = (json as unknown as { data: { webhookId: string }[] }).data;
    await service.stopAll();
    await keepDatabase(folder, service.db, nodeFolder, { storeId, apiKey, webhookId, secret, invoices });
  } finally {
    await service.stop();
    await lnd.stop();
    await node.stop();
    rmSync(nodeFolder, { recursive: true, force: true });
  }
}
