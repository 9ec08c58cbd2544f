import { AppError, invalidValue } from '../../base/index.js';
import { amountOf, integerOf, textOf, type Database, type Queries, type Row } from '../../database/index.js';
import { compareFacts, type Facts } from '../../metering/index.js';
import type { ConnectedGateway, ListedModel, Metering, Offer } from './connected-gateway.js';
import type { Seal } from './credential-seal.js';
import { GATEWAY_COLUMNS, toGateway, toModelsText } from './gateway-rows.js';
import { shardOf } from './shards.js';
import { checkSlug, isSlug } from './slug.js';

/** Limits of one gateway. */
const MAX_NAME_LENGTH = 100;
const MAX_CREDENTIAL_LENGTH = 4_096;
const MAX_OFFERED = 1_000;
const MAX_MODEL_ID_LENGTH = 200;
/** Gateways of one service: each is asked every five minutes, and known to every node. */
const MAX_GATEWAYS = 2_000;

/** The channel of notices of changed gateways between nodes. */
export const GATEWAY_CHANNEL = 'hosted_gateway';

/** A gateway that an operator connects. The base URL was checked. */
export interface NewGateway {
  readonly slug: string;
  readonly name: string;
  readonly baseUrl: string;
  /** Sent as Bearer; empty: the gateway asks for none. */
  readonly credential: string;
  readonly offer: Offer;
  readonly metering: Metering;
}

/** The result of one sync. `models` undefined: they are unchanged. */
export interface SyncResult {
  readonly models?: readonly ListedModel[];
  readonly etag?: string | undefined;
  /** Undefined: the list was read, or is the one that was read before. */
  readonly error?: string;
  readonly nextAtMs: number;
}

/** The address and credential of a gateway. */
export interface OpenedGateway {
  readonly gateway: ConnectedGateway;
  /** Empty: it asks for none. */
  readonly credential: string;
  /** Of the lease under which its list was written last. */
  readonly epoch: bigint;
}

/** Records the author of a change in the same transaction. */
export type WriteAudit = (
  queries: Queries,
  event: { readonly action: string; readonly target: string; readonly diff: Facts },
  by: string,
) => Promise<void>;

/** Options of a store. */
export interface GatewayStoreOptions {
  readonly database: Database;
  readonly seal: Seal;
  readonly now: () => number;
  readonly audit: WriteAudit;
}

/** Connected gateways in the database. */
export class GatewayStore {
  readonly #database: Database;
  readonly #seal: Seal;
  readonly #now: () => number;
  readonly #audit: WriteAudit;

  constructor({ database, seal, now, audit }: GatewayStoreOptions) {
    this.#database = database;
    this.#seal = seal;
    this.#now = now;
    this.#audit = audit;
  }

  /**
   * Connects a gateway; with `replaces` also where its slug is in use. Prices under its slug stay. Errors: `invalid_value`,
   * `gateway_exists`.
   */
  async add(gateway: NewGateway, by: string, replaces = false): Promise<ConnectedGateway> {
    checkGateway(gateway);
    const { slug, name, baseUrl, credential, offer, metering } = gateway;
    const sealed = credential === '' ? '' : this.#seal.close(slug, credential);
    const nowMs = BigInt(this.#now());
    await this.#database.transaction(async (queries) => {
      const before = await queries.get(BEFORE, slug);
      const isNew = before === undefined || textOf(before, 'state') === 'removed';
      if (!isNew && !replaces) throw exists(slug);
      if (before === undefined) await checkRoom(queries);
      await queries.run(UPSERT, slug, name, baseUrl, sealed, JSON.stringify(offer), nowMs, metering);
      // After a change of server, the list that was read before no longer applies.
      const forgets = isNew || textOf(before, 'base_url') !== baseUrl;
      if (forgets) await queries.run(FORGET_SYNC, slug, nowMs, shardOf(slug));
      else await queries.run(SYNC_NOW, slug, nowMs);
      const after = gatewayFacts({ ...gateway, state: 'active', hasCredential: credential !== '' });
      const old = before === undefined || isNew ? undefined : toFacts(before);
      const changed = old === undefined ? { before: null, after } : compareFacts(old, after);
      // A changed secret shows only as changed.
      const diff = { name, ...changed, ...(old !== undefined && credential !== '' && { credential: 'set anew' }) };
      await this.#audit(
        queries,
        { action: isNew ? 'gateway.add' : 'gateway.replace', target: `gateway:${slug}`, diff },
        by,
      );
      await queries.notify(GATEWAY_CHANNEL, slug);
    });
    return this.get(slug);
  }

  /** Disables or enables a gateway: while it is disabled it has no models. Errors: `gateway_unknown`. */
  async setState(slug: string, state: ConnectedGateway['state'], by: string): Promise<ConnectedGateway> {
    await this.#change(slug, state, `gateway.${state}`, by);
    return this.get(slug);
  }

  /** Ends a gateway. Its slug may be used again; its prices stay under it. Errors: `gateway_unknown`. */
  async remove(slug: string, by: string): Promise<void> {
    await this.#change(slug, 'removed', 'gateway.remove', by);
  }

  /** Errors: `gateway_unknown`. */
  async get(slug: string): Promise<ConnectedGateway> {
    const row = isSlug(slug) ? await this.#database.get(`${SELECT} AND g.slug = $1`, slug) : undefined;
    if (row === undefined) throw unknown(slug);
    return toGateway(row);
  }

  /** All of them, in the order of their slugs. */
  async list(): Promise<readonly ConnectedGateway[]> {
    return (await this.#database.all(`${SELECT} ORDER BY g.slug`)).map(toGateway);
  }

  /** Of every active gateway its slug and a number that grows with each change that requests can see. */
  async revisions(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#database.all("SELECT slug, revision FROM connected_gateway WHERE state = 'active'");
    return new Map(rows.map((row) => [textOf(row, 'slug') ?? '', integerOf(row, 'revision')]));
  }

  /** A gateway with its credential opened. Undefined: it is not there. Errors: `gateway_credential_unreadable`. */
  async getTarget(slug: string): Promise<OpenedGateway | undefined> {
    const row = await this.#database.get(`${SELECT_WITH_CREDENTIAL} AND g.slug = $1`, slug);
    if (row === undefined) return undefined;
    const sealed = textOf(row, 'credential') ?? '';
    const credential = sealed === '' ? '' : this.#seal.open(slug, sealed);
    return { gateway: toGateway(row), credential, epoch: amountOf(row, 'epoch') };
  }

  /**
   * Slugs of active gateways of `shards` that are due at `nowMs`: first those whose last sync succeeded, then by how
   * long they wait.
   */
  async due(nowMs: number, limit: number, shards: readonly string[]): Promise<readonly string[]> {
    const rows = await this.#database.all(DUE, BigInt(nowMs), limit, shards);
    return rows.map((row) => textOf(row, 'slug') ?? '');
  }

  /**
   * Writes the result of a sync. Skips it if another node with a later lease wrote, or if the gateway's target has
   * changed since. A failed sync leaves the models unchanged. Returns whether it was written.
   */
  async writeSync(of: ConnectedGateway, result: SyncResult, epoch: bigint): Promise<boolean> {
    const nowMs = BigInt(this.#now());
    const { models, etag, error, nextAtMs } = result;
    const { slug, sync, targetRevision } = of;
    return this.#database.transaction(async (queries) => {
      const current = await queries.get(CURRENT_TARGET, slug, BigInt(targetRevision));
      if (current === undefined) return false;
      const texts = models === undefined ? undefined : toModelsText(models);
      const written = await (error === undefined
        ? queries.run(
            WRITE_GOOD,
            slug,
            epoch,
            nowMs,
            BigInt(nextAtMs),
            texts ?? null,
            etag ?? null,
            texts === undefined ? 0 : 1,
          )
        : queries.run(WRITE_FAILED, slug, epoch, nowMs, BigInt(nextAtMs), error.slice(0, 300)));
      const isSeen =
        (texts !== undefined && texts !== toModelsText(sync.models)) ||
        (sync.staleSinceMs === undefined) !== (error === undefined) ||
        sync.syncedAtMs === undefined;
      if (written > 0 && isSeen) {
        await queries.run('UPDATE connected_gateway SET revision = revision + 1 WHERE slug = $1', slug);
        await queries.notify(GATEWAY_CHANNEL, slug);
      }
      return written > 0;
    });
  }

  async #change(slug: string, state: 'active' | 'disabled' | 'removed', action: string, by: string): Promise<void> {
    await this.#database.transaction(async (queries) => {
      const row = isSlug(slug) ? await queries.get(BEFORE, slug) : undefined;
      const changed = row === undefined ? 0 : await queries.run(SET_STATE, slug, state);
      if (row === undefined || changed === 0) throw unknown(slug);
      const before = toFacts(row);
      const change =
        state === 'removed' ? { before, after: null } : { before: { state: before['state'] }, after: { state } };
      await this.#audit(queries, { action, target: `gateway:${slug}`, diff: { name: before['name'], ...change } }, by);
      await queries.notify(GATEWAY_CHANNEL, slug);
    });
  }
}

const FROM = "FROM connected_gateway g JOIN gateway_sync s ON s.slug = g.slug WHERE g.state <> 'removed'";
const SELECT = `SELECT ${GATEWAY_COLUMNS} ${FROM}`;
const SELECT_WITH_CREDENTIAL = `SELECT ${GATEWAY_COLUMNS}, g.credential, s.epoch ${FROM}`;
const BEFORE =
  'SELECT name, base_url, offer, metering, state, credential FROM connected_gateway WHERE slug = $1 FOR UPDATE';
const UPSERT = `INSERT INTO connected_gateway (slug, name, base_url, credential, offer, state, target_revision, revision, created_at_ms, metering)
  VALUES ($1, $2, $3, $4, $5, 'active', 1, 1, $6, $7)
  ON CONFLICT (slug) DO UPDATE SET name = $2, base_url = $3, credential = $4, offer = $5, metering = $7, state = 'active',
    target_revision = connected_gateway.target_revision + 1, revision = connected_gateway.revision + 1`;
const FORGET_SYNC = `INSERT INTO gateway_sync (slug, shard, models, next_at_ms, failures, epoch) VALUES ($1, $3, '[]', $2, 0, 0)
  ON CONFLICT (slug) DO UPDATE SET models = '[]', etag = NULL, next_at_ms = $2, tried_at_ms = NULL, synced_at_ms = NULL,
    stale_since_ms = NULL, failures = 0, last_error = NULL`;
const SYNC_NOW = 'UPDATE gateway_sync SET next_at_ms = $2 WHERE slug = $1';
const SET_STATE =
  "UPDATE connected_gateway SET state = $2, revision = revision + 1 WHERE slug = $1 AND state <> 'removed'";
const DUE = `SELECT s.slug FROM gateway_sync s JOIN connected_gateway g ON g.slug = s.slug
  WHERE g.state = 'active' AND s.next_at_ms <= $1 AND s.shard = ANY($3::text[]) ORDER BY CASE WHEN s.failures = 0 THEN 0 ELSE 1 END, s.next_at_ms LIMIT $2`;
const CURRENT_TARGET =
  "SELECT slug FROM connected_gateway WHERE slug = $1 AND target_revision = $2 AND state <> 'removed'";
const WRITE_GOOD = `UPDATE gateway_sync SET models = COALESCE($5, models), etag = CASE WHEN $7 = 1 THEN $6 ELSE etag END, next_at_ms = $4, tried_at_ms = $3,
  synced_at_ms = $3, stale_since_ms = NULL, failures = 0, last_error = NULL, epoch = $2 WHERE slug = $1 AND epoch <= $2`;
const WRITE_FAILED = `UPDATE gateway_sync SET next_at_ms = $4, tried_at_ms = $3, stale_since_ms = COALESCE(stale_since_ms, $3),
  failures = failures + 1, last_error = $5, epoch = $2 WHERE slug = $1 AND epoch <= $2`;

/** A gateway as the audit log has it: never its credential. */
function gatewayFacts(of: {
  readonly name: string;
  readonly baseUrl: string;
  readonly offer: unknown;
  readonly metering: string;
  readonly state: string;
  readonly hasCredential: boolean;
}): Facts {
  const { name, baseUrl, offer, metering, state, hasCredential } = of;
  return { name, base_url: baseUrl, offer, metering, state, credential: hasCredential ? 'set' : 'none' };
}

function toFacts(row: Row): Facts {
  return gatewayFacts({
    name: textOf(row, 'name') ?? '',
    baseUrl: textOf(row, 'base_url') ?? '',
    offer: JSON.parse(textOf(row, 'offer') ?? 'null') as unknown,
    metering: textOf(row, 'metering') ?? '',
    state: textOf(row, 'state') ?? '',
    hasCredential: (textOf(row, 'credential') ?? '') !== '',
  });
}

function checkGateway({ slug, name, credential, offer }: NewGateway): void {
  checkSlug(slug);
  if (name.trim() === '' || name.length > MAX_NAME_LENGTH || /\p{Cc}/u.test(name))
    throw invalidValue('name', name, `1 to ${MAX_NAME_LENGTH} characters without line breaks`);
  // It goes into a header. The error omits the value: it is a secret.
  if (!/^[\x21-\x7e]*$/.test(credential) || credential.length > MAX_CREDENTIAL_LENGTH)
    throw invalidValue('credential', '…', `one word of at most ${MAX_CREDENTIAL_LENGTH} visible ASCII characters`);
  if (offer === 'all') return;
  if (offer.length === 0 || offer.length > MAX_OFFERED)
    throw invalidValue('models', offer.length, `all, or 1 to ${MAX_OFFERED} ids`);
  const wrong = offer.find((id) => !isModelId(id));
  if (wrong !== undefined) throw invalidValue('models', wrong, `ids of 1 to ${MAX_MODEL_ID_LENGTH} visible characters`);
}

/** Whether a text can be the id of a model: the list of a gateway may have anything. */
export function isModelId(id: string): boolean {
  return id.length > 0 && id.length <= MAX_MODEL_ID_LENGTH && id.isWellFormed() && !/[\p{Cc}\p{Cf}\s]/u.test(id);
}

async function checkRoom(queries: Queries): Promise<void> {
  const row = await queries.get('SELECT COUNT(*) AS count FROM connected_gateway');
  const count = row === undefined ? 0 : integerOf(row, 'count');
  if (count >= MAX_GATEWAYS)
    throw invalidValue('gateways', count + 1, `at most ${MAX_GATEWAYS}, removed ones among them`);
}

function exists(slug: string): AppError {
  const message = `there is a gateway ${slug} already; take another slug, or replace it with --replace`;
  return new AppError('gateway_exists', message, { gateway: slug });
}

function unknown(slug: string): AppError {
  const shown = isSlug(slug) ? slug : 'of that slug';
  return new AppError('gateway_unknown', `there is no gateway ${shown}; gateways list shows them`, { gateway: shown });
}
