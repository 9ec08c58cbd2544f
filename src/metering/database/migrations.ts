// The databases as numbered SQL, forward only: each step sets its number. A released step is never changed; the next is added.

/**
 * Of metering.sqlite. Days are days since 1970 in UTC, amounts are micro-units of a currency, times milliseconds since 1970.
 */
export const meteringMigrations: readonly string[] = [
  `
  CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  -- Keys of the database, and of the file's what changed since: the definition is then null.
  CREATE TABLE virtual_key (
    id TEXT PRIMARY KEY,
    definition TEXT,
    prefix TEXT NOT NULL,
    hash TEXT NOT NULL,
    file_hash TEXT,
    state TEXT NOT NULL CHECK (state IN ('active', 'disabled', 'revoked')),
    created_at_ms INTEGER NOT NULL,
    last_used_at_ms INTEGER,
    rotated_from TEXT
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE key_grace (
    key_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    until_ms INTEGER NOT NULL,
    PRIMARY KEY (key_id, hash)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE hold (
    request_id TEXT PRIMARY KEY,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    currency TEXT,
    prompt_tokens INTEGER NOT NULL CHECK (prompt_tokens >= 0),
    completion_tokens INTEGER NOT NULL CHECK (completion_tokens >= 0),
    held_micro INTEGER NOT NULL CHECK (held_micro >= 0),
    began INTEGER NOT NULL DEFAULT 0,
    day INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE usage_day (
    day INTEGER NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    currency TEXT NOT NULL,
    requests INTEGER NOT NULL,
    estimated_requests INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    charged_tokens INTEGER NOT NULL CHECK (charged_tokens >= 0),
    uncharged_tokens INTEGER NOT NULL CHECK (uncharged_tokens >= 0),
    cost_micro INTEGER NOT NULL CHECK (cost_micro >= 0),
    uncharged_micro INTEGER NOT NULL CHECK (uncharged_micro >= 0),
    PRIMARY KEY (day, key_id, model, currency)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE request (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    request_id TEXT NOT NULL,
    ts_ms INTEGER NOT NULL,
    key_id TEXT,
    model TEXT,
    upstream_model TEXT,
    runtime_id TEXT,
    route TEXT,
    stream INTEGER NOT NULL,
    status INTEGER,
    finish_reason TEXT,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    estimated INTEGER NOT NULL,
    ttft_ms INTEGER,
    duration_ms INTEGER,
    bytes_in INTEGER NOT NULL,
    bytes_out INTEGER NOT NULL,
    aborted INTEGER NOT NULL,
    error_code TEXT,
    client TEXT,
    -- Until it was admitted, since it came, and how often it was sent.
    admitted_ms INTEGER,
    attempts INTEGER,
    -- Tokens of its prompt that a runtime put into a cache; null: none.
    cache_write_tokens INTEGER
  ) STRICT;
  -- Each index ends with the time: pages of a filter come in its order.
  CREATE INDEX request_by_time ON request (ts_ms);
  CREATE INDEX request_by_key ON request (key_id, ts_ms);
  CREATE INDEX request_by_model ON request (model, ts_ms);
  CREATE INDEX request_by_runtime ON request (runtime_id, ts_ms);
  CREATE INDEX request_by_id ON request (request_id);
  CREATE INDEX request_failed ON request (ts_ms)
    WHERE ((status >= 400 AND status <> 499) OR (error_code IS NOT NULL AND status IS NOT 499));

  -- The same as usage_day, of all keys together.
  CREATE TABLE usage_total (
    day INTEGER NOT NULL, model TEXT NOT NULL, currency TEXT NOT NULL,
    requests INTEGER NOT NULL, estimated_requests INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL, reasoning_tokens INTEGER NOT NULL,
    charged_tokens INTEGER NOT NULL, uncharged_tokens INTEGER NOT NULL,
    cost_micro INTEGER NOT NULL, uncharged_micro INTEGER NOT NULL,
    PRIMARY KEY (day, model, currency)
  ) STRICT, WITHOUT ROWID;

  -- Sums of the request log by minute, hour and day. Histograms and counts are texts such as 12:5,13:8.
  CREATE TABLE rollup (
    step_ms INTEGER NOT NULL,
    scope TEXT NOT NULL,
    start_ms INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    aborted INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    first_byte TEXT NOT NULL,
    duration TEXT NOT NULL,
    codes TEXT NOT NULL,
    statuses TEXT NOT NULL,
    PRIMARY KEY (step_ms, scope, start_ms)
  ) STRICT, WITHOUT ROWID;

  -- The same of each key by day. Rows of one day lie together: many keys change theirs at once.
  CREATE TABLE rollup_key (
    start_ms INTEGER NOT NULL,
    key_id TEXT NOT NULL,
    requests INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    aborted INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    first_byte TEXT NOT NULL,
    duration TEXT NOT NULL,
    codes TEXT NOT NULL,
    statuses TEXT NOT NULL,
    PRIMARY KEY (start_ms, key_id)
  ) STRICT, WITHOUT ROWID;

  -- What was charged by hour, and of hours that are over by day.
  CREATE TABLE spend (
    step_ms INTEGER NOT NULL,
    start_ms INTEGER NOT NULL,
    model TEXT NOT NULL,
    currency TEXT NOT NULL,
    cost_micro INTEGER NOT NULL,
    PRIMARY KEY (step_ms, start_ms, model, currency)
  ) STRICT, WITHOUT ROWID;
  -- What each key used: in all, and in the day, the week and the month of its last day.
  CREATE TABLE usage_key (
    key_id TEXT NOT NULL, currency TEXT NOT NULL,
    last_day INTEGER NOT NULL, week_start INTEGER NOT NULL, month_start INTEGER NOT NULL,
    tokens_day INTEGER NOT NULL, tokens_week INTEGER NOT NULL,
    tokens_month INTEGER NOT NULL, tokens_total INTEGER NOT NULL,
    micro_day INTEGER NOT NULL, micro_week INTEGER NOT NULL,
    micro_month INTEGER NOT NULL, micro_total INTEGER NOT NULL,
    PRIMARY KEY (key_id, currency)
  ) STRICT, WITHOUT ROWID;

  -- What budgets do not count, since an operator made them full again. An empty currency: tokens.
  CREATE TABLE forgiven (
    key_id TEXT NOT NULL,
    currency TEXT NOT NULL,
    window TEXT NOT NULL,
    start_day INTEGER NOT NULL,
    amount INTEGER NOT NULL,
    PRIMARY KEY (key_id, currency, window)
  ) STRICT, WITHOUT ROWID;
  PRAGMA user_version = 1;
  `,
];

/** Of audit.sqlite. */
export const auditMigrations: readonly string[] = [
  `
  CREATE TABLE entry (
    seq INTEGER PRIMARY KEY,
    ts_ms INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT NOT NULL,
    diff TEXT NOT NULL,
    prev_hash TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  CREATE TABLE anchor (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), hash TEXT NOT NULL) STRICT;
  -- Actions that began and whose entry is not written: a row is removed in the transaction that writes it.
  CREATE TABLE intent (id INTEGER PRIMARY KEY, ts_ms INTEGER NOT NULL, event TEXT NOT NULL) STRICT;
  PRAGMA user_version = 1;
  `,
];
