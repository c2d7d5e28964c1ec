/** What the database is for, the processes that run on it, and what they report to the operator. */
export const OPERATIONS = [
  `CREATE TABLE installation (
    singleton boolean NOT NULL DEFAULT true,
    network text NOT NULL,
    secret_check bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT "PK_573d1dd9f210243e9aed26d9440" PRIMARY KEY (singleton)
  )`,
  `CREATE TABLE leases (
    name text NOT NULL,
    holder text NOT NULL,
    epoch bigint NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT "PK_8f564523b661f9e2648c3377687" PRIMARY KEY (name)
  )`,
  `CREATE TABLE heartbeats (
    instance_id text NOT NULL,
    worker text NOT NULL,
    started_at timestamptz NOT NULL,
    beat_at timestamptz NOT NULL,
    metrics json,
    CONSTRAINT "PK_38ac0e395050f5527f3bc02587f" PRIMARY KEY (instance_id)
  )`,
  `CREATE TABLE alerts (
    id text NOT NULL,
    kind text NOT NULL,
    severity text NOT NULL,
    subject text NOT NULL,
    store_id text,
    invoice_id text,
    message text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    resolved_at timestamptz,
    sent_at timestamptz,
    details jsonb,
    accepted_by text[] NOT NULL DEFAULT '{}',
    CONSTRAINT "PK_60f895662df096bfcdfab7f4b96" PRIMARY KEY (id)
  )`,
  `CREATE INDEX alerts_at ON alerts (at, id)`,
  `CREATE INDEX alerts_ended ON alerts (resolved_at) WHERE resolved_at IS NOT NULL`,
  `CREATE INDEX alerts_for_alert_url ON alerts (severity, at, id) WHERE sent_at IS NULL AND ('ALERT_URL' <> ALL (accepted_by))`,
  `CREATE INDEX alerts_for_log ON alerts (severity, at, id) WHERE sent_at IS NULL AND ('log' <> ALL (accepted_by))`,
  `CREATE INDEX alerts_for_owners ON alerts (severity, at, id) WHERE sent_at IS NULL AND ('owners' <> ALL (accepted_by))`,
  `CREATE INDEX alerts_for_smtp_url ON alerts (severity, at, id) WHERE sent_at IS NULL AND ('SMTP_URL' <> ALL (accepted_by))`,
  `CREATE INDEX alerts_open_store ON alerts (store_id, at) WHERE resolved_at IS NULL`,
  `CREATE UNIQUE INDEX alerts_open_subject ON alerts (kind, subject) WHERE resolved_at IS NULL`,
  `CREATE INDEX alerts_store ON alerts (store_id, at)`,
  `CREATE INDEX alerts_unsent ON alerts (at) WHERE sent_at IS NULL`,
  `CREATE TABLE set_aside (
    txid text NOT NULL,
    height integer,
    block_hash text,
    failed_at timestamptz NOT NULL,
    error text NOT NULL,
    retry_asked boolean NOT NULL DEFAULT false,
    invoice_ids text[] NOT NULL DEFAULT '{}',
    CONSTRAINT "PK_set_aside" PRIMARY KEY (txid)
  )`,
  `CREATE TABLE reconciliation_reports (
    id text NOT NULL,
    at timestamptz NOT NULL,
    from_height integer NOT NULL,
    to_height integer NOT NULL,
    checked_payments integer NOT NULL,
    differences jsonb NOT NULL,
    CONSTRAINT "PK_reconciliation_reports" PRIMARY KEY (id)
  )`,
  `CREATE INDEX reconciliation_reports_at ON reconciliation_reports (at)`,
  `CREATE TABLE restores (
    id text NOT NULL,
    taken_at timestamptz NOT NULL,
    restored_at timestamptz NOT NULL,
    feed_after bigint NOT NULL,
    hold_ended_at timestamptz,
    CONSTRAINT "PK_1616b6cbb2df0bdeb75607c91f8" PRIMARY KEY (id)
  )`,
  `CREATE INDEX restores_holding ON restores (restored_at) WHERE hold_ended_at IS NULL`,
];
