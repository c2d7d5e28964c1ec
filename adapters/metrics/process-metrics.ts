import { REFUSAL_EVENTS, type RefusalEvent } from "../../domain/account/refusal";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** Lost when the process ends. */
export type ProcessMetrics = ReturnType<typeof makeProcessMetrics>;

interface AnsweredRequest {
  method: string;
  /** A template, since arbitrary paths would become series. */
  route: string;
  status: number;
  seconds: number;
}

export type ZmqMetricTopic = "rawtx" | "hashblock";
export type ZmqMetricEvent = "gap" | "reconnected" | "malformed";

const STREAM_KINDS = ["checkout", "dashboard"] as const;
export type StreamKind = (typeof STREAM_KINDS)[number];

const LIGHTNING_EVENTS = ["payment", "other", "reconnected"] as const;
export type LightningMetricEvent = (typeof LIGHTNING_EVENTS)[number];

const OF_NODE = [
  "process_cpu_seconds_total",
  "process_resident_memory_bytes",
  "process_open_fds",
  "nodejs_eventloop_lag_p99_seconds",
  "nodejs_heap_size_used_bytes",
];
/** Each becomes a series for every route and status. */
const REQUEST_SECONDS = [0.025, 0.1, 0.5, 2.5, 10];
const WEBHOOK_SECONDS = [0.1, 0.5, 1, 2.5, 5, 10];

function ofRequests(registers: Registry[]) {
  return {
    requests: new Histogram({
      name: "quittance_http_request_seconds",
      help: "Time until the response headers are sent, by route template and status.",
      labelNames: ["method", "route", "status"],
      buckets: REQUEST_SECONDS,
      registers,
    }),
    streams: new Gauge({
      name: "quittance_event_streams",
      help: "Open event streams, by kind: checkout or dashboard.",
      labelNames: ["kind"],
      registers,
    }),
    refusals: new Counter({
      name: "quittance_auth_refusals_total",
      help: "Refused logins, codes, proofs and API keys, by event.",
      labelNames: ["event"],
      registers,
    }),
  };
}

function instruments(registers: Registry[]) {
  return {
    ...ofRequests(registers),
    webhooks: new Histogram({
      name: "quittance_webhook_seconds",
      help: "Duration of webhook attempts, by outcome.",
      labelNames: ["outcome"],
      buckets: WEBHOOK_SECONDS,
      registers,
    }),
    zmq: new Counter({
      name: "quittance_zmq_events_total",
      help: "ZMQ messages lost (gap), reconnections, and malformed messages, by topic.",
      labelNames: ["topic", "event"],
      registers,
    }),
    malformed: new Counter({
      name: "quittance_node_malformed_total",
      help: "Malformed transactions and RPC answers of the node.",
      labelNames: ["what"],
      registers,
    }),
    lightning: new Counter({
      name: "quittance_lnd_events_total",
      help: "Settled invoices in LND's stream: new payments and known ones; and reconnections.",
      labelNames: ["event"],
      registers,
    }),
    lightningConnected: new Gauge({
      name: "quittance_lnd_connected",
      help: "1 in the process that leads lightning-watch while LND is usable, else 0.",
      registers,
    }),
    prices: new Gauge({
      name: "quittance_rate_timestamp_seconds",
      help: "Time of the last price, by source and currency (Unix time).",
      labelNames: ["source", "currency"],
      registers,
    }),
    noPrices: new Counter({
      name: "quittance_rate_failures_total",
      help: "Failed requests to exchange-rate sources, by source and currency.",
      labelNames: ["source", "currency"],
      registers,
    }),
  };
}

/** The metrics of an app (`worker`); those of Node itself, too, unless it shares its process. */
export function makeProcessMetrics({
  worker,
  instanceId,
  ofNode = true,
}: {
  worker: string;
  instanceId: string;
  ofNode?: boolean;
}) {
  const ours = new Registry();
  const node = new Registry();
  // A sum over processes would drop when one ends, which looks like a restart.
  for (const registry of [ours, node]) registry.setDefaultLabels({ worker, process: instanceId });
  if (ofNode) collectDefaultMetrics({ register: node });
  const { requests, streams, refusals, webhooks, zmq, malformed, prices, noPrices, ...lnd } = instruments([
    ours,
  ]);
  if (worker === "chain-watch") {
    // At zero, so that the first is an increase.
    for (const topic of ["rawtx", "hashblock"])
      for (const event of ["gap", "reconnected", "malformed"]) zmq.inc({ topic, event }, 0);
    for (const what of ["transactions", "answers"]) malformed.inc({ what }, 0);
  }
  if (worker === "api") {
    for (const kind of STREAM_KINDS) streams.set({ kind }, 0);
    for (const event of REFUSAL_EVENTS) refusals.inc({ event }, 0);
  }
  if (worker === "lightning-watch") for (const event of LIGHTNING_EVENTS) lnd.lightning.inc({ event }, 0);
  return {
    request: ({ seconds, ...labels }: AnsweredRequest) => requests.observe({ ...labels }, seconds),
    /** Opened (1) or closed (-1). */
    stream: (kind: StreamKind, by: 1 | -1) => streams.inc({ kind }, by),
    refusal: (event: RefusalEvent) => refusals.inc({ event }),
    webhook: (outcome: "delivered" | "failed", seconds: number) => webhooks.observe({ outcome }, seconds),
    zmq: (topic: ZmqMetricTopic, event: ZmqMetricEvent) => zmq.inc({ topic, event }),
    /** Unreadable, from the node. */
    malformed: (what: "transactions" | "answers", count: number) => malformed.inc({ what }, count),
    lightning: (event: LightningMetricEvent) => lnd.lightning.inc({ event }),
    lightningConnected: (connected: boolean) => lnd.lightningConnected.set(connected ? 1 : 0),
    price: (source: string, currency: string, atMs: number) => prices.set({ source, currency }, atMs / 1_000),
    noPrice: (source: string, currency: string) => noPrices.inc({ source, currency }),
    /** prom-client's JSON, labelled with the process. */
    async snapshot(): Promise<unknown[]> {
      const nodes = (await node.getMetricsAsJSON()).filter(({ name }) => OF_NODE.includes(name));
      return [...(await ours.getMetricsAsJSON()), ...nodes];
    },
  };
}
