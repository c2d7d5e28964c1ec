import { buildContext, connectInfrastructure } from "../../adapters/context";
import { makeResolve } from "../../adapters/http/resolve-host";
import { makeWebhookClient } from "../../adapters/http/webhook-client";
import { loadConfig } from "../../config/load";
import { parseAllowedCidrs } from "../../domain/webhook/address";
import { startWebhookDelivery } from "../../workers/webhook-delivery";

/** The worker webhook-delivery with name servers of the test's: `delivery-worker.ts <address:port>`. */
async function main(nameServer = ""): Promise<void> {
  const infrastructure = connectInfrastructure(loadConfig(), { worker: "webhook-delivery", queuesTaken: 1 });
  const { config, queues } = infrastructure;
  const { sendWebhook } = makeWebhookClient({
    network: config.NETWORK,
    allowedCidrs: parseAllowedCidrs(config.WEBHOOK_ALLOWED_CIDRS),
    resolve: makeResolve({ servers: [nameServer] }),
    metrics: infrastructure.metrics,
  });
  const ctx = { ...(await buildContext(infrastructure)), sendWebhook };
  await queues.waitUntilReady();
  await startWebhookDelivery({ ...infrastructure, ctx, onFatal: () => process.exit(1) });
  process.stdout.write("ready\n");
}

void main(process.argv[2]);
