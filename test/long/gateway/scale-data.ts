// The data directory of a gateway after a month of much use: made in SQL, since ten million rows by the way of requests would
// take hours. Opening it adds the log up.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKeySecret, stores, type StoreKind } from '../../../src/metering/index.js';
import { METERING_FILE } from '../../../src/metering/database/files.js';
import { meteringMigrations } from '../../../src/metering/database/migrations.js';
import { openUsageSums } from '../../../src/metering/database/usage-sums.js';
import { writeAdminToken } from '../../../src/metering/admin-token/admin-token-file.js';

/** How much there is. */
export interface Scale {
  readonly requests: number;
  readonly keys: number;
  readonly models: number;
  readonly days: number;
}

/** What issue 36 asks for. */
export const FULL: Scale = { requests: 10_000_000, keys: 50_000, models: 200, days: 30 };

/** As many requests over a year: what is older than `request_log_days` would be removed. */
export const YEAR: Scale = { ...FULL, days: 364 };

/** What is written, and how. */
export interface ScaleOptions {
  readonly runtimeUrl: string;
  readonly scale: Scale;
  readonly nowMs: number;
  readonly kind?: StoreKind | undefined;
  readonly keptDir?: string | undefined;
}

const DAY_MS = 86_400_000;
const PRICE = "price: { input_per_million: '1.00', output_per_million: '2.00', currency: EUR }";

/**
 * Writes gateway.yaml and its databases below `home`. `nowMs`: the end of the last day. `keptDir`: where the database is made
 * once and kept, and copied from the next time.
 */
export async function writeScaleData(
  home: string,
  { runtimeUrl, scale, nowMs, kind, keptDir }: ScaleOptions,
): Promise<{ readonly path: string; readonly token: string }> {
  const { secret: token, hash } = createKeySecret('gwa');
  const dataDir = join(home, 'data');
  const models = Array.from({ length: scale.models }, (_, i) => modelLine(i));
  const runtimes = [0, 1].map((i) => `  - { id: r${i}, kind: openai-compatible, base_url: '${runtimeUrl}' }`);
  const path = join(home, 'gateway.yaml');
  const head = [
    'gateway_id: gw_scale',
    'listen: 127.0.0.1:0',
    'data_dir: ./data',
    'retention: { request_log_days: 365 }',
  ];
  writeFileSync(path, [...head, 'runtimes:', ...runtimes, 'models:', ...models, ''].join('\n'), { mode: 0o600 });
  const madeDir = keptDir ?? dataDir;
  const made = join(madeDir, METERING_FILE);
  if (!existsSync(made)) await writeDatabase(madeDir, scale, nowMs, kind);
  if (keptDir !== undefined) copyFileSync(made, join(dataDir, METERING_FILE));
  await writeAdminToken(dataDir, hash);
  return { path, token };
}

function modelLine(i: number): string {
  const targets = [0, 1].map((r) => `{ runtime: r${r}, model: up${i} }`).join(', ');
  return `  - { id: model-${i}, targets: [${targets}], ${PRICE} }`;
}

async function writeDatabase(
  dataDir: string,
  { requests, keys, models, days }: Scale,
  nowMs: number,
  kind = stores[0],
) {
  if (kind === undefined) throw new Error('there is a store');
  const store = await kind.open({ path: join(dataDir, METERING_FILE), durability: 'process' });
  store.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -262144');
  store.exec(meteringMigrations[0] ?? '');
  // Sorted once they take a minute; row by row they would take a quarter of an hour.
  const indexes = store
    .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'request' AND sql IS NOT NULL")
    .all();
  for (const { name } of indexes) store.exec(`DROP INDEX ${String(name)}`);
  store.exec('BEGIN');
  const insert = store.prepare(
    `INSERT INTO virtual_key (id, definition, prefix, hash, file_hash, state, created_at_ms, last_used_at_ms, rotated_from)
     VALUES (?1, ?2, ?3, ?4, NULL, ?5, ?6, ?7, NULL)`,
  );
  for (let i = 0; i < keys; i++) {
    const limits = { requestsPerMinute: 60, budgets: [{ tokens: 5_000_000, window: 'month' }] };
    const definition = JSON.stringify({ name: `team ${i % 97} key ${i}`, models: null, expiresAtMs: null, limits });
    const state = i % 50 === 0 ? 'disabled' : 'active';
    const hash = createHash('sha256').update(`key ${i}`).digest('hex');
    insert.run(
      keyId(i),
      definition,
      `gwk_${hash.slice(0, 6)}`,
      hash,
      state,
      nowMs - days * DAY_MS + i,
      nowMs - (i % 1_000) * 60_000,
    );
  }
  // Multiplying by large primes spreads keys, models and times without a table of random numbers.
  store
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 - 1)
       INSERT INTO request (request_id, ts_ms, key_id, model, upstream_model, runtime_id, route, stream, status, finish_reason,
         prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens, estimated, ttft_ms, duration_ms, bytes_in,
         bytes_out, aborted, error_code, client)
       SELECT printf('%08x-%012x', i, i * 2654435761 % 281474976710656), CAST(?5 + i * ?4 / ?1 AS INTEGER),
         printf('vk_%08d', i * 48271 % ?2), 'model-' || (i * 69621 % 101 * (i % 7 + 1) % CAST(?3 AS INTEGER)), 'up', 'r' || (i % 2),
         '/v1/chat/completions', i % 2, CASE WHEN i % 50 = 0 THEN 429 WHEN i % 331 = 0 THEN 502 ELSE 200 END, NULL,
         20 + i % 900, i * 16807 % 700, 0, 0, 0, 5 + i * 7919 % 400, 100 + i * 104729 % 9000, 500, 2000, 0,
         CASE WHEN i % 50 = 0 THEN 'rate_limit_exceeded' WHEN i % 331 = 0 THEN 'upstream_error' ELSE NULL END, NULL FROM n`,
    )
    .run(requests, keys, models, days * DAY_MS, nowMs - days * DAY_MS);
  store.exec(
    `INSERT INTO usage_day SELECT ts_ms / 86400000, key_id, model, 'EUR', count(*), 0, sum(prompt_tokens),
       sum(completion_tokens), 0, 0, sum(prompt_tokens + completion_tokens), 0, sum(prompt_tokens + 2 * completion_tokens), 0
     FROM request WHERE status = 200 GROUP BY 1, 2, 3`,
  );
  store.exec(
    `INSERT INTO usage_total SELECT day, model, currency, sum(requests), 0, sum(prompt_tokens), sum(completion_tokens), 0, 0,
       sum(charged_tokens), 0, sum(cost_micro), 0 FROM usage_day GROUP BY 1, 2, 3;
     INSERT INTO spend SELECT 86400000, day * 86400000, model, currency, sum(cost_micro) FROM usage_day GROUP BY 2, 3, 4`,
  );
  const sums = openUsageSums(store);
  const ofDay = store.prepare(
    `SELECT key_id, sum(charged_tokens) AS tokens, sum(cost_micro) AS cost FROM usage_day WHERE day = ?1 GROUP BY key_id`,
  );
  for (const { day } of store.prepare('SELECT DISTINCT day FROM usage_day ORDER BY day').all()) {
    for (const { key_id: id, tokens, cost } of ofDay.all(Number(day)))
      sums.addOfKey({
        keyId: String(id),
        day: Number(day),
        currency: 'EUR',
        tokens: Number(tokens),
        costMicro: BigInt(cost ?? 0),
      });
  }
  for (const { sql } of indexes) store.exec(String(sql));
  store.exec('COMMIT');
  store.close();
}

/** The id of a key. */
export function keyId(i: number): string {
  return `vk_${String(i).padStart(8, '0')}`;
}
