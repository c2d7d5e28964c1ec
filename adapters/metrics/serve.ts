import { createServer } from "node:http";
import { AggregatorRegistry, Gauge, Registry } from "prom-client";
import type { Log } from "../../commands/ports";
import type { Numbers } from "../../commands/installation/read-metrics";
import { QUEUE_NAMES } from "../queues/enqueue";
import type { QueueAges, QueueStats } from "../queues/connect";

export interface MetricsOptions {
  host: string;
  port: number;
  /** At every scrape; a source that rejects is left out, shown by `quittance_metrics_complete`. */
  readNumbers: () => Promise<Numbers[]>;
  readQueues: () => Promise<[QueueStats, QueueAges]>;
  /** prom-client's JSON of each process. */
  readProcesses: () => Promise<unknown[][]>;
  log: Log;
}

const TRY_AGAIN_MS = 5_000;

function exposeNumbers(registry: Registry, numbers: readonly Numbers[]): void {
  for (const { name, help, labels: labelNames, values } of numbers) {
    const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
    for (const { labels, value } of values) gauge.set(labels, value);
  }
}

function exposeQueues(registry: Registry, [stats, ages]: [QueueStats, QueueAges]): void {
  const registers = [registry];
  const jobs = new Gauge({
    name: "quittance_queue_jobs",
    help: "Jobs by queue and state.",
    labelNames: ["queue", "state"],
    registers,
  });
  const oldest = new Gauge({
    name: "quittance_queue_oldest_seconds",
    help: "Waiting time of the oldest job that is ready to run, by queue; 0 if there is none.",
    labelNames: ["queue"],
    registers,
  });
  for (const [queue, counts] of Object.entries(stats))
    for (const [state, count] of Object.entries(counts)) jobs.set({ queue, state }, count);
  for (const [queue, seconds] of Object.entries(ages)) oldest.set({ queue }, seconds);
  const missing = QUEUE_NAMES.filter((name) => stats[name] === undefined || ages[name] === undefined);
  if (missing.length > 0) throw new Error(`no figures for ${missing.join(", ")}`);
}

async function render({ readNumbers, readQueues, readProcesses, log }: MetricsOptions): Promise<string> {
  const registry = new Registry();
  const complete = new Gauge({
    name: "quittance_metrics_complete",
    help: "1 if the part could be read for this scrape, else 0.",
    labelNames: ["part"],
    registers: [registry],
  });
  let ofProcesses = "";
  const parts: Record<string, () => Promise<void>> = {
    database: async () => exposeNumbers(registry, await readNumbers()),
    queues: async () => exposeQueues(registry, await readQueues()),
    processes: async () => {
      ofProcesses = await AggregatorRegistry.aggregate(await readProcesses()).metrics();
    },
  };
  const reading = Object.entries(parts).map(async ([part, read]) => {
    try {
      await read();
      complete.set({ part }, 1);
    } catch (err) {
      complete.set({ part }, 0);
      log.warn({ part, err }, "metrics: part missing");
    }
  });
  await Promise.all(reading);
  return `${await registry.metrics()}\n${ofProcesses}`;
}

export type MetricsServer = ReturnType<typeof serveMetrics>;

/** At `/metrics`; waits while another copy has the port. */
export function serveMetrics(options: MetricsOptions) {
  const { host, port, log } = options;
  const server = createServer((request, response) => {
    if (request.method !== "GET" || request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    render(options).then(
      (text) => response.writeHead(200, { "Content-Type": Registry.PROMETHEUS_CONTENT_TYPE }).end(text),
      (error: unknown) => {
        log.error({ err: error }, "metrics: scrape failed");
        response.writeHead(500).end();
      },
    );
  });
  const listen = (): void => void server.listen(port, host);
  let again: NodeJS.Timeout | undefined;
  let logged = false;
  server.on("error", (error) => {
    if (!logged)
      log.warn(
        { setting: "METRICS_PORT", reason: error.message },
        "metrics: no endpoint in this process yet",
      );
    logged = true;
    again = setTimeout(listen, TRY_AGAIN_MS);
  });
  listen();
  return {
    close: () => {
      clearTimeout(again);
      server.close();
      server.closeAllConnections();
    },
  };
}
