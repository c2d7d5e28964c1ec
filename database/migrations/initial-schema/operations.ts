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
    told_at timestamptz,
    CONSTRAINT "PK_60f895662df096bfcdfab7f4b96" PRIMARY KEY (id)
  )`,
  `CREATE INDEX alerts_at ON alerts (at, id)`,
  `CREATE INDEX alerts_ended ON alerts (resolved_at) WHERE resolved_at IS NOT NULL`,
  `CREATE INDEX alerts_open_store ON alerts (store_id, at) WHERE resolved_at IS NULL`,
  `CREATE UNIQUE INDEX alerts_open_subject ON alerts (kind, subject) WHERE resolved_at IS NULL`,
  `CREATE INDEX alerts_store ON alerts (store_id, at)`,
  `CREATE INDEX alerts_untold ON alerts (at) WHERE told_at IS NULL`,
  `CREATE TABLE set_aside (
    kind text NOT NULL,
    subject text NOT NULL,
    height integer,
    block_hash text,
    failures integer NOT NULL,
    first_failed_at timestamptz NOT NULL,
    last_failed_at timestamptz NOT NULL,
    set_aside_at timestamptz,
    error text NOT NULL,
    version text NOT NULL,
    retry_asked boolean NOT NULL DEFAULT false,
    invoice_ids text[] NOT NULL DEFAULT '{}',
    CONSTRAINT "PK_set_aside" PRIMARY KEY (kind, subject)
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
];
