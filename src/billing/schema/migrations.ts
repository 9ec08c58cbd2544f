// The tables of billing as numbered SQL, forward only: a released step is never changed; the next is added.

import type { Migration } from '../../database/index.js';
import { AUDIT_GENESIS_HASH, COUNT_COLUMNS, SUM_COLUMNS } from '../../metering/index.js';

const MONEY = `
  -- available + held is the balance: what the ledger's entries of the account sum to.
  CREATE TABLE account (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    currency TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('active', 'suspended')),
    available_micro BIGINT NOT NULL CONSTRAINT account_available CHECK (available_micro >= 0),
    held_micro BIGINT NOT NULL CONSTRAINT account_held CHECK (held_micro >= 0),
    created_at_ms BIGINT NOT NULL
  );
  CREATE TABLE account_key (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account (id),
    prefix TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('active', 'disabled')),
    limits TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    expires_at_ms BIGINT,
    last_used_at_ms BIGINT
  );
  CREATE INDEX account_key_by_account ON account_key (account_id, id);

  -- Older secrets of keys that are taken for a while more.
  CREATE TABLE account_key_grace (
    hash TEXT PRIMARY KEY,
    key_id TEXT NOT NULL REFERENCES account_key (id),
    until_ms BIGINT NOT NULL
  );
  CREATE INDEX account_key_grace_by_key ON account_key_grace (key_id);

  -- What a key with a budget used and holds in a window, which begins with a day (days since 1970).
  CREATE TABLE key_window (
    key_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    start_day INTEGER NOT NULL,
    used_micro BIGINT NOT NULL CHECK (used_micro >= 0),
    held_micro BIGINT NOT NULL CHECK (held_micro >= 0),
    PRIMARY KEY (key_id, kind, start_day)
  );

  -- Immutable versions.
  CREATE TABLE price (
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    version INTEGER NOT NULL,
    effective_from_ms BIGINT NOT NULL,
    currency TEXT NOT NULL,
    input_nano BIGINT NOT NULL CHECK (input_nano >= 0),
    cached_input_nano BIGINT NOT NULL CHECK (cached_input_nano >= 0),
    output_nano BIGINT NOT NULL CHECK (output_nano >= 0),
    request_nano BIGINT NOT NULL CHECK (request_nano >= 0),
    image_nano BIGINT NOT NULL CHECK (image_nano >= 0),
    audio_nano BIGINT NOT NULL CHECK (audio_nano >= 0),
    cache_write_nano BIGINT NOT NULL CHECK (cache_write_nano >= 0),
    PRIMARY KEY (provider, model, version)
  );`;

const COUNTS = ['requests', 'prompt_tokens', 'cached_tokens', 'cache_write_tokens', 'completion_tokens', 'cost_micro'];
const counted = COUNTS.map((name) => `${name} BIGINT NOT NULL`).join(', ');
const spanSums = SUM_COLUMNS.map((name) => `${name} BIGINT NOT NULL`).join(', ');
const spanCounts = [...COUNT_COLUMNS, 'costs'].map((name) => `${name} TEXT NOT NULL`).join(', ');

const REQUESTS = `
  -- Requests under way that reserved money. It is changed only while the row of its account is locked.
  CREATE TABLE hold (
    request_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    node_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    price_version INTEGER NOT NULL,
    currency TEXT NOT NULL,
    granted_tokens BIGINT NOT NULL,
    held_micro BIGINT NOT NULL CHECK (held_micro >= 0),
    windows TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    expires_at_ms BIGINT NOT NULL
  );
  CREATE INDEX hold_by_node ON hold (node_id);
  CREATE INDEX hold_by_account ON hold (account_id);
  CREATE INDEX hold_by_expiry ON hold (expires_at_ms);

  -- How requests ended, once each. A row that was voided becomes settled when its usage comes late, and never changes again.
  CREATE TABLE usage_row (
    request_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    price_version INTEGER NOT NULL,
    currency TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('settled', 'voided')),
    created_at_ms BIGINT NOT NULL,
    ended_at_ms BIGINT NOT NULL,
    prompt_tokens BIGINT NOT NULL,
    cached_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    completion_tokens BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    images INTEGER NOT NULL,
    audios INTEGER NOT NULL,
    is_estimated INTEGER NOT NULL,
    cost_micro BIGINT NOT NULL CHECK (cost_micro >= 0),
    uncharged_micro BIGINT NOT NULL CHECK (uncharged_micro >= 0),
    status INTEGER,
    duration_ms BIGINT,
    first_byte_ms BIGINT,
    end_kind TEXT
  );
  CREATE INDEX usage_row_by_account ON usage_row (account_id, created_at_ms, request_id);
  CREATE INDEX usage_row_by_time ON usage_row (created_at_ms, request_id);

  -- From when on the records of all requests are there: one row.
  CREATE TABLE usage_kept (one INTEGER PRIMARY KEY CHECK (one = 1), from_ms BIGINT NOT NULL);
  INSERT INTO usage_kept (one, from_ms) VALUES (1, 0);

  CREATE TABLE idempotency (
    account_id TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    request_id TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    PRIMARY KEY (account_id, idempotency_key)
  );
  CREATE INDEX idempotency_by_time ON idempotency (created_at_ms);

  -- Sums of settled requests, added up as their groups join the chain.
  CREATE TABLE usage_day (
    account_id TEXT NOT NULL,
    day INTEGER NOT NULL,
    key_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    ${counted},
    PRIMARY KEY (account_id, day, key_id, provider, model)
  );
  CREATE INDEX usage_day_by_day ON usage_day (day);

  -- The same sums of all accounts together, and of all that an account used: charts of a year read few rows.
  CREATE TABLE usage_total_day (
    day INTEGER NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, currency TEXT NOT NULL, ${counted},
    PRIMARY KEY (day, provider, model, currency)
  );
  CREATE TABLE usage_account_day (
    day INTEGER NOT NULL, account_id TEXT NOT NULL, ${counted}, PRIMARY KEY (day, account_id)
  );

  -- Requests by minute, hour and day, for charts.
  CREATE TABLE request_span (
    step_ms INTEGER NOT NULL, scope TEXT NOT NULL, start_ms BIGINT NOT NULL, ${spanSums}, ${spanCounts},
    PRIMARY KEY (step_ms, scope, start_ms)
  );
  CREATE INDEX request_span_by_time ON request_span (step_ms, start_ms);
  -- The last group of the chain whose request is in the spans: one row.
  CREATE TABLE span_watermark (one INTEGER PRIMARY KEY CHECK (one = 1), seq BIGINT NOT NULL);
  INSERT INTO span_watermark (one, seq) VALUES (1, 0);`;

const BOOKS = `
  -- Each line moves an amount from one account of the ledger to another, so that every group sums to zero.
  CREATE TABLE ledger (
    group_id TEXT NOT NULL,
    line INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('credit', 'usage', 'void', 'adjustment')),
    account_id TEXT NOT NULL,
    reference TEXT NOT NULL,
    currency TEXT NOT NULL,
    from_account TEXT NOT NULL,
    to_account TEXT NOT NULL,
    amount_micro BIGINT NOT NULL CHECK (amount_micro >= 0),
    note TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    PRIMARY KEY (group_id, line)
  );
  CREATE INDEX ledger_by_account ON ledger (account_id, created_at_ms);
  CREATE INDEX ledger_credit ON ledger (account_id, created_at_ms, group_id) WHERE kind = 'credit';

  -- Groups that are not in the chain yet.
  CREATE TABLE ledger_pending (group_id TEXT PRIMARY KEY);

  -- All groups in one order without gaps, each with the hash of the one before it in its own.
  CREATE TABLE ledger_chain (
    seq BIGINT PRIMARY KEY,
    day INTEGER NOT NULL,
    group_id TEXT NOT NULL UNIQUE,
    hash TEXT NOT NULL
  );
  CREATE INDEX ledger_chain_by_day ON ledger_chain (day, seq);`;

const NODES = `
  -- Nodes that live count up; who does not is dead, whatever the clocks say.
  CREATE TABLE node (id TEXT PRIMARY KEY, beat BIGINT NOT NULL, started_at_ms BIGINT NOT NULL);
  CREATE TABLE lease (name TEXT PRIMARY KEY, holder TEXT NOT NULL, epoch BIGINT NOT NULL, beat BIGINT NOT NULL);

  -- What a node took from a busy account to spend by itself: held by the account until it is used or comes back.
  CREATE TABLE allowance (
    node_id TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES account (id),
    amount_micro BIGINT NOT NULL CHECK (amount_micro >= 0),
    PRIMARY KEY (node_id, account_id)
  );
  CREATE INDEX allowance_by_account ON allowance (account_id);`;

const AUDIT = `
  -- Numbers have no gaps, unlike those of a sequence: each entry has the hash of the one before it in its own.
  CREATE TABLE audit_entry (
    seq BIGINT PRIMARY KEY,
    at_ms BIGINT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    diff TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT NOT NULL,
    prev_hash TEXT NOT NULL,
    hash TEXT NOT NULL
  );
  -- The newest entry, which the writer of the next one locks: one row.
  CREATE TABLE audit_head (one INTEGER PRIMARY KEY CHECK (one = 1), seq BIGINT NOT NULL, hash TEXT NOT NULL);
  INSERT INTO audit_head (one, seq, hash) VALUES (1, 0, '${AUDIT_GENESIS_HASH}');`;

/** Rows that are written once. */
const IMMUTABLE = ['ledger', 'ledger_chain', 'price', 'audit_entry'];

/** The messages name a constraint: errors then report a violated constraint. */
const refuseInSqlite = IMMUTABLE.flatMap((table) =>
  ['UPDATE', 'DELETE'].map(
    (change) => `
  CREATE TRIGGER ${table}_no_${change.toLowerCase()} BEFORE ${change} ON ${table}
    BEGIN SELECT RAISE(ABORT, 'constraint failed: ${table} is immutable'); END;`,
  ),
).join('');

const refuseInPostgres = [
  `
  CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION '% is immutable', TG_TABLE_NAME USING ERRCODE = 'check_violation', CONSTRAINT = TG_TABLE_NAME || ' is immutable'; END $$;`,
  ...IMMUTABLE.map(
    (table) => `
  CREATE TRIGGER ${table}_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();`,
  ),
].join('');

/** Every step. */
export const billingMigrations: readonly Migration[] = [
  { sql: `${MONEY}${REQUESTS}${BOOKS}${NODES}${AUDIT}`, sqlite: refuseInSqlite, postgres: refuseInPostgres },
];
