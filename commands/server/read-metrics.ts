import type { Statement } from "../../database/statement";
import type { CommandContext } from "../context";
import {
  countOpenAlerts,
  countOpenDeliveries,
  countProcesses,
  countRecentAlerts,
  countRecentAttempts,
  countUnfinishedBolt11s,
  readBlocksBehind,
  readCaughtUpAges,
  readDetectionSeconds,
  readHoleAge,
  readOldestDeliveries,
  readReceivable,
  readSettleSeconds,
  readSnapshots,
  readSynchronized,
} from "./metrics-queries";

/** Figures of one kind, with labels. */
export interface Numbers {
  name: string;
  help: string;
  labels: readonly string[];
  values: readonly { labels: Record<string, string>; value: number }[];
}

interface Source extends Omit<Numbers, "values"> {
  /** Returns a column for each label, and `value`; a null value is left out. */
  read: Statement<[], Record<string, string | number | null>>;
}

const ALERTS: readonly Source[] = [
  {
    name: "quittance_alerts_recent",
    help: "Operator alerts raised in the last hour, including resolved ones, by kind.",
    labels: ["kind"],
    read: countRecentAlerts,
  },
  {
    name: "quittance_alerts_open",
    help: "Operator alerts that are not resolved, by kind.",
    labels: ["kind"],
    read: countOpenAlerts,
  },
];

const DELIVERIES: readonly Source[] = [
  {
    name: "quittance_deliveries_open",
    help: "Unfinished webhook deliveries, by state.",
    labels: ["state"],
    read: countOpenDeliveries,
  },
  {
    name: "quittance_delivery_oldest_seconds",
    help: "Age of the oldest delivery that waits for its first attempt (pending) or is being sent (sending).",
    labels: ["state"],
    read: readOldestDeliveries,
  },
  {
    name: "quittance_attempts_recent",
    help: "Delivery attempts started in the last 15 min, by outcome.",
    labels: ["outcome"],
    read: countRecentAttempts,
  },
];

const DETECTION: Source = {
  name: "quittance_detection_seconds",
  help: "Delay of invoices that became Processing in the last 15 min: from the node seeing the payment to the event (recorded), and from the event to its first attempt (told).",
  labels: ["stage", "quantile"],
  read: readDetectionSeconds,
};

const LIGHTNING: readonly Source[] = [
  {
    name: "quittance_lightning_settle_seconds",
    help: "Delay of invoices settled by Lightning in the last 15 min: from LND's settlement to the service's record.",
    labels: ["quantile"],
    read: readSettleSeconds,
  },
  {
    name: "quittance_lightning_receivable_sats",
    help: "Capacity of LND's active channels to receive.",
    labels: [],
    read: readReceivable,
  },
  {
    name: "quittance_lightning_hole_seconds",
    help: "How long a settle index has been missing in LND's stream; 0 if none is.",
    labels: [],
    read: readHoleAge,
  },
  {
    name: "quittance_bolt11s_unfinished",
    help: "BOLT11s that LND has yet to create (wanted), and that can be paid (open).",
    labels: ["state"],
    read: countUnfinishedBolt11s,
  },
];

const PAYMENT_METHODS: readonly Source[] = [
  {
    name: "quittance_blocks_behind",
    help: "Blocks of the node that are not processed yet.",
    labels: ["rail"],
    read: readBlocksBehind,
  },
  {
    name: "quittance_rail_caught_up_age_seconds",
    help: "Time since the last complete check of the payment method began.",
    labels: ["rail"],
    read: readCaughtUpAges,
  },
  {
    name: "quittance_rail_synchronized",
    help: "1 while the payment method's node is usable and synced, else 0.",
    labels: ["rail"],
    read: readSynchronized,
  },
];

const PROCESSES: Source = {
  name: "quittance_processes",
  help: "Processes with a heartbeat in the last 30 s, by worker.",
  labels: ["worker"],
  read: countProcesses,
};

/** Each uses an index or reads few rows, since a monitor reads them every few seconds. Times are those of Postgres. */
const SOURCES: readonly Source[] = [
  ...ALERTS,
  ...DELIVERIES,
  DETECTION,
  ...LIGHTNING,
  ...PAYMENT_METHODS,
  PROCESSES,
];

/** The database's figures for a monitor. */
export async function readMetrics({ db }: Pick<CommandContext, "db">): Promise<Numbers[]> {
  const numbers: Numbers[] = [];
  for (const { read, ...source } of SOURCES) {
    const { rows } = await read(db.manager);
    const values = rows
      .filter(({ value }) => value !== null)
      .map(({ value, ...labels }) => ({ labels: labels as Record<string, string>, value: Number(value) }));
    numbers.push({ ...source, values });
  }
  return numbers;
}

/** What each live process reported with its last heartbeat. */
export async function readProcessMetrics({ db }: Pick<CommandContext, "db">): Promise<unknown[][]> {
  const { rows } = await readSnapshots(db.manager);
  return rows.map(({ metrics }) => metrics);
}
