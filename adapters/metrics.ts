import { createServer } from "node:http";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { Log } from "../commands/ports";
import type { Counts } from "../commands/read-metrics";
import type { QueueStats } from "./queues/connect";

export interface MetricsOptions {
  host: string;
  port: number;
  /** Asked at every scrape; a part that rejects is left out of it. */
  readCounts: () => Promise<Counts[]>;
  readQueues: () => Promise<QueueStats>;
  log: Log;
}

async function render({ readCounts, readQueues, log }: MetricsOptions, process: Registry): Promise<string> {
  const registry = new Registry();
  const [counts, queues] = await Promise.allSettled([readCounts(), readQueues()]);
  if (counts.status === "fulfilled")
    for (const { name, help, label, values } of counts.value) {
      const gauge = new Gauge({ name, help, labelNames: [label], registers: [registry] });
      for (const value of values) gauge.set({ [label]: value.label }, value.count);
    }
  if (queues.status === "fulfilled") {
    const gauge = new Gauge({
      name: "quittance_queue_jobs",
      help: "Jobs by queue and state.",
      labelNames: ["queue", "state"],
      registers: [registry],
    });
    for (const [queue, states] of Object.entries(queues.value))
      for (const [state, count] of Object.entries(states)) gauge.set({ queue, state }, count);
  }
  for (const part of [counts, queues])
    if (part.status === "rejected")
      log.warn({ err: part.reason as unknown }, "a part of the metrics is missing");
  return `${await registry.metrics()}\n${await process.metrics()}`;
}

export interface MetricsServer {
  close: () => void;
}

/** Serves Prometheus metrics at `/metrics`. A port that is taken (another copy serves it) is said and left alone. */
export function serveMetrics(options: MetricsOptions): MetricsServer {
  const { host, port, log } = options;
  const process = new Registry();
  collectDefaultMetrics({ register: process });
  const server = createServer((request, response) => {
    if (request.method !== "GET" || request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    render(options, process).then(
      (text) => response.writeHead(200, { "Content-Type": process.contentType }).end(text),
      (error: unknown) => {
        log.error({ err: error }, "the metrics could not be told");
        response.writeHead(500).end();
      },
    );
  });
  server.on("error", (error) => log.warn({ reason: error.message }, "no metrics from this process"));
  server.listen(port, host);
  return {
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
