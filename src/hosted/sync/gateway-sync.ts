import type { LookUpAll } from '../../address/index.js';
import { AppError, sleep, toErrorData, type Clock, type LogEntry } from '../../base/index.js';
import type { Leases } from '../../billing/index.js';
import type { ConnectedGateway } from '../gateways/connected-gateway.js';
import { parseGatewayUrl } from '../gateways/gateway-url.js';
import { toMayConnect, type ContactRules } from '../gateways/contact-rules.js';
import type { GatewayStore, OpenedGateway, SyncResult } from '../gateways/gateway-store.js';
import { shardOf } from '../gateways/shards.js';
import { fetchModels, type FetchedModels } from './fetch-models.js';
import { SyncLeases } from './sync-leases.js';

/** Gateways that are asked at once: each is a connection, and at most a megabyte. */
const AT_ONCE = 16;
/** Milliseconds between two checks for due syncs. */
const LOOK_MS = 1_000;
/** The part of the interval by which a sync is early or late: gateways are then not all asked together. */
const JITTER = 0.1;
/** Sent where a gateway has no authentication: it takes any string. */
const NO_CREDENTIAL = 'none';

/** Options of syncs. */
export interface GatewaySyncOptions {
  readonly store: GatewayStore;
  readonly leases: Leases;
  readonly rules: ContactRules;
  /** How names are resolved. */
  readonly lookUpAll: LookUpAll;
  /** Between two syncs of one gateway. */
  readonly intervalMs: number;
  readonly serviceId: string;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly log: (entry: LogEntry) => void;
}

/** Keeps the models of connected gateways as they are: each is asked every `intervalMs`, by one node. */
export class GatewaySync implements AsyncDisposable {
  readonly #options: GatewaySyncOptions;
  readonly #leases: SyncLeases;
  readonly #running = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();

  constructor(options: GatewaySyncOptions) {
    this.#options = options;
    this.#leases = new SyncLeases(options);
  }

  /** Gateways that are asked now. */
  get running(): number {
    return this.#running.size;
  }

  /** Goes on until it is disposed, or until `signal`. While the database is away nothing is asked. */
  async run(signal: AbortSignal = this.#stop.signal): Promise<void> {
    const { clock, log } = this.#options;
    const end = AbortSignal.any([signal, this.#stop.signal]);
    while (!end.aborted) {
      try {
        await this.look();
      } catch (error) {
        const { code, message } = toErrorData(error);
        if (code !== 'database_unavailable') throw error;
        log({ event: 'gateway sync', code, message });
      }
      await sleep(LOOK_MS, clock, end).catch(() => {});
    }
  }

  /**
   * Starts due syncs up to the limit of concurrent ones, and continues while more are due. Errors:
   * `database_unavailable`.
   */
  async look(): Promise<void> {
    const { clock } = this.#options;
    const endMs = clock.nowMs() + LOOK_MS;
    await this.#leases.renew();
    // The next begins as soon as one ends; leases are looked at in between.
    while ((await this.#begin()) && clock.nowMs() < endMs) await Promise.race(this.#running.values());
  }

  /** Asks one gateway now, for its operator. Errors: `gateway_unknown`, `gateway_sync_failed`, `database_unavailable`. */
  async syncNow(slug: string): Promise<ConnectedGateway> {
    const { store } = this.#options;
    await store.get(slug);
    const opened = await store.getTarget(slug);
    const result = opened === undefined ? undefined : await this.#sync(opened, opened.epoch);
    if (result?.state === 'failed') {
      throw new AppError('gateway_sync_failed', `the gateway ${slug}: ${result.reason}`, { gateway: slug });
    }
    return store.get(slug);
  }

  /** Aborts the syncs under way, and waits for their end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#running.values());
    await this.#leases[Symbol.asyncDispose]();
  }

  /** Whether more syncs are due than may run. */
  async #begin(): Promise<boolean> {
    const { now, store } = this.#options;
    const { shards } = this.#leases;
    if (shards.length === 0 || this.#stop.signal.aborted) return false;
    // Gateways that are being asked are still due.
    const slugs = await store.due(now(), 2 * AT_ONCE, shards);
    const waiting = slugs.filter((slug) => !this.#running.has(slug));
    for (const slug of waiting.splice(0, AT_ONCE - this.#running.size)) {
      const work = this.#syncDue(slug).finally(() => this.#running.delete(slug));
      this.#running.set(slug, work);
    }
    return waiting.length > 0;
  }

  async #syncDue(slug: string): Promise<void> {
    try {
      const lease = this.#leases.leaseOf(shardOf(slug));
      const opened = lease === undefined ? undefined : await this.#options.store.getTarget(slug);
      if (lease !== undefined && opened !== undefined) await this.#sync(opened, lease.epoch, () => lease.isHeld());
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      const { code, message } = toErrorData(error);
      this.#options.log({ event: 'gateway sync', gateway: slug, code, message });
      if (code === 'gateway_credential_unreadable') await this.#postpone(slug, message).catch(() => {});
    }
  }

  async #sync(opened: OpenedGateway, epoch: bigint, mayWrite = (): boolean => true): Promise<FetchedModels> {
    const { store, log } = this.#options;
    const { gateway } = opened;
    const fetched = await this.#fetch(opened);
    this.#stop.signal.throwIfAborted();
    const isWritten = mayWrite() && (await store.writeSync(gateway, this.#toResult(fetched), epoch));
    const isNews = fetched.state === 'failed' && gateway.sync.staleSinceMs === undefined;
    const isBack = fetched.state !== 'failed' && gateway.sync.staleSinceMs !== undefined;
    if (isWritten && isNews) log({ event: 'gateway stale', gateway: gateway.slug, reason: fetched.reason });
    if (isWritten && isBack) log({ event: 'gateway back', gateway: gateway.slug });
    return fetched;
  }

  async #fetch({ gateway, credential }: OpenedGateway): Promise<FetchedModels> {
    const { rules, serviceId, clock, lookUpAll } = this.#options;
    const { slug, baseUrl, sync } = gateway;
    try {
      // Rules may have changed since the gateway was added. Each connection checks the addresses of its name.
      parseGatewayUrl(baseUrl, rules);
    } catch (error) {
      const { code, message } = toErrorData(error);
      if (code !== 'gateway_url_refused') throw error;
      return { state: 'failed', reason: message };
    }
    return fetchModels({
      slug,
      baseUrl,
      credential: credential === '' ? NO_CREDENTIAL : credential,
      mayConnect: toMayConnect(rules),
      lookUpAll,
      etag: sync.syncedAtMs === undefined ? undefined : sync.etag,
      serviceId,
      clock,
      // A signal of its own: Node warns about a signal with many listeners.
      signal: AbortSignal.any([this.#stop.signal]),
    });
  }

  #toResult(fetched: FetchedModels): SyncResult {
    const { intervalMs, now, random } = this.#options;
    const nextAtMs = Math.round(now() + intervalMs * (1 - JITTER + 2 * JITTER * random()));
    if (fetched.state === 'read') return { models: fetched.models, etag: fetched.etag, nextAtMs };
    return fetched.state === 'failed' ? { error: fetched.reason, nextAtMs } : { nextAtMs };
  }

  /** One that cannot even be asked waits like any other. */
  async #postpone(slug: string, error: string): Promise<void> {
    const gateway = await this.#options.store.get(slug);
    const lease = this.#leases.leaseOf(shardOf(slug));
    const { nextAtMs } = this.#toResult({ state: 'unchanged' });
    if (lease !== undefined) await this.#options.store.writeSync(gateway, { error, nextAtMs }, lease.epoch);
  }
}
