/** Users, how they log in, and the record of who changed what. */
export const ACCOUNTS = [
  `CREATE TABLE users (
    id text NOT NULL,
    email text NOT NULL,
    admin boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    password_hash text,
    totp_secret_encrypted bytea,
    totp_confirmed_at timestamptz,
    totp_last_step integer,
    disabled_at timestamptz,
    CONSTRAINT "PK_a3ffb1c0c8416b9fc6f907b7433" PRIMARY KEY (id)
  )`,
  `CREATE UNIQUE INDEX users_email ON users (email)`,
  `CREATE TABLE user_links (
    token_hash bytea NOT NULL,
    user_id text NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    kind text NOT NULL DEFAULT 'setup',
    store_id text,
    CONSTRAINT "PK_aedb6ab3960ecb45a0bfb10c012" PRIMARY KEY (token_hash)
  )`,
  `CREATE INDEX user_links_user ON user_links (user_id)`,
  `CREATE TABLE sessions (
    id text NOT NULL,
    token_hash bytea NOT NULL,
    user_id text NOT NULL,
    stage text NOT NULL,
    created_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    authenticated_at timestamptz NOT NULL,
    failures integer NOT NULL DEFAULT 0,
    ip text NOT NULL,
    user_agent text NOT NULL,
    CONSTRAINT "PK_3238ef96f18b355b671619111bc" PRIMARY KEY (id)
  )`,
  `CREATE INDEX sessions_expires ON sessions (expires_at)`,
  `CREATE UNIQUE INDEX sessions_token_hash ON sessions (token_hash)`,
  `CREATE INDEX sessions_user ON sessions (user_id)`,
  `CREATE TABLE recovery_codes (
    user_id text NOT NULL,
    code_hash bytea NOT NULL,
    used_at timestamptz,
    CONSTRAINT "PK_d07c335ded337e58c4f36f234d2" PRIMARY KEY (user_id, code_hash)
  )`,
  `CREATE TABLE passkeys (
    id text NOT NULL,
    user_id text NOT NULL,
    name text NOT NULL,
    credential_id text NOT NULL,
    public_key bytea NOT NULL,
    counter bigint NOT NULL,
    transports text[] NOT NULL,
    created_at timestamptz NOT NULL,
    last_used_at timestamptz,
    CONSTRAINT "PK_db928e6fd79e7098911268a74c3" PRIMARY KEY (id)
  )`,
  `CREATE UNIQUE INDEX passkeys_credential ON passkeys (credential_id)`,
  `CREATE INDEX passkeys_user ON passkeys (user_id)`,
  `CREATE TABLE passkey_challenges (
    challenge text NOT NULL,
    purpose text NOT NULL,
    user_id text,
    expires_at timestamptz NOT NULL,
    CONSTRAINT "PK_f16897735bf450c1a673d0a96b8" PRIMARY KEY (challenge)
  )`,
  `CREATE TABLE audit_log (
    id text NOT NULL,
    at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text,
    action text NOT NULL,
    store_id text,
    subject text NOT NULL,
    details jsonb NOT NULL,
    CONSTRAINT "PK_07fefa57f7f5ab8fc3f52b3ed0b" PRIMARY KEY (id)
  )`,
  `CREATE INDEX audit_log_at ON audit_log (at, id)`,
  `CREATE INDEX audit_log_store ON audit_log (store_id, at)`,
];
