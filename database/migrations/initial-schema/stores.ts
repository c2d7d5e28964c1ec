/** Stores with their wallets, keys and members, and what their requests are counted and remembered by. */
export const STORES = [
  `CREATE TABLE stores (
    id text NOT NULL,
    name text NOT NULL,
    website text,
    support_url text,
    default_currency text NOT NULL DEFAULT 'BTC',
    expires_in_seconds integer NOT NULL DEFAULT 900,
    monitoring_seconds integer NOT NULL DEFAULT 86400,
    payment_tolerance numeric(7,4) NOT NULL DEFAULT '0',
    required_confirmations integer NOT NULL DEFAULT 1,
    confirmation_tiers jsonb NOT NULL DEFAULT '[]',
    zero_conf_max_sats bigint,
    redirect_automatically boolean NOT NULL DEFAULT false,
    archived_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    rate_spread numeric(7,4) NOT NULL DEFAULT '0',
    rate_sources text[],
    logo_url text,
    brand_color text,
    private_route_hints boolean NOT NULL DEFAULT false,
    checkout_origins text[] NOT NULL DEFAULT '{}',
    lazy_addresses boolean NOT NULL DEFAULT false,
    wallet_changes_by_key boolean NOT NULL DEFAULT false,
    CONSTRAINT "PK_7aa6e7d71fa7acdd7ca43d7c9cb" PRIMARY KEY (id)
  )`,
  `CREATE TABLE store_members (
    store_id text NOT NULL,
    user_id text NOT NULL,
    role text NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT "PK_e119dedd3232bbe7db331e06732" PRIMARY KEY (store_id, user_id)
  )`,
  `CREATE INDEX store_members_user ON store_members (user_id)`,
  `CREATE TABLE store_invitations (
    store_id text NOT NULL,
    user_id text NOT NULL,
    role text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT "PK_fc9e05e9f67255c7307136c6ca1" PRIMARY KEY (store_id, user_id)
  )`,
  `CREATE INDEX store_invitations_user ON store_invitations (user_id)`,
  `CREATE TABLE store_payment_methods (
    store_id text NOT NULL,
    type text NOT NULL,
    derivation_id text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    mac bytea,
    CONSTRAINT "PK_c399c366386d36386588376f80d" PRIMARY KEY (store_id, type)
  )`,
  `CREATE TABLE derivations (
    id text NOT NULL,
    script_type text NOT NULL,
    next_index integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    account_key_hash bytea NOT NULL,
    xpub_encrypted bytea NOT NULL,
    CONSTRAINT "PK_4d6a3b5029a7dd6290fe798af46" PRIMARY KEY (id),
    CONSTRAINT "derivations_key" UNIQUE (account_key_hash, script_type)
  )`,
  `CREATE TABLE api_keys (
    id text NOT NULL,
    store_id text NOT NULL,
    name text NOT NULL,
    prefix text NOT NULL,
    hash bytea NOT NULL,
    created_by_key_id text,
    created_at timestamptz NOT NULL,
    last_used_at timestamptz,
    expires_at timestamptz,
    created_by_user_id text,
    CONSTRAINT "PK_5c8a79801b44bd27b79228e1dad" PRIMARY KEY (id)
  )`,
  `CREATE INDEX api_keys_created_by_user ON api_keys (created_by_user_id) WHERE created_by_user_id IS NOT NULL`,
  `CREATE UNIQUE INDEX api_keys_hash ON api_keys (hash)`,
  `CREATE INDEX api_keys_store ON api_keys (store_id)`,
  `CREATE TABLE idempotency_keys (
    store_id text NOT NULL,
    key text NOT NULL,
    request_hash bytea NOT NULL,
    claim text NOT NULL,
    claimed_until timestamptz NOT NULL,
    answer bytea,
    expires_at timestamptz NOT NULL,
    mac bytea,
    CONSTRAINT "idempotency_keys_pk" PRIMARY KEY (store_id, key)
  )`,
  `CREATE INDEX idempotency_keys_expires ON idempotency_keys (expires_at)`,
  `CREATE UNLOGGED TABLE rate_limits (
    key text NOT NULL,
    points integer NOT NULL DEFAULT 0,
    expire bigint,
    CONSTRAINT "rate_limits_pk" PRIMARY KEY (key)
  )`,
];
