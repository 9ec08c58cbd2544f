// The upstreams of requests: the first request opens one, and an idle one is closed after a while. A change of a
// provider or a gateway makes it another upstream; requests under way keep theirs.
import type { LookUpAll, MayConnect } from '../../address/index.js';
import { every, type Clock } from '../../base/index.js';
import { createUpstream, type BreakerState, type Upstream } from '../../relay/index.js';
import { Bulkhead } from './bulkhead.js';
import { UpstreamBreakers } from './upstream-breakers.js';

/** The address and options of an upstream. */
export interface UpstreamSettings {
  /** Changes with everything that connections depend on. */
  readonly key: string;
  /** As errors and metrics name it: the id of a provider, `pgw/<slug>`. */
  readonly id: string;
  readonly baseUrl: string;
  readonly mayConnect: MayConnect;
  /** Requests under way. */
  readonly connections: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly requestMs: number;
}

/** An upstream that is open. */
export interface OpenUpstream {
  readonly place: UpstreamSettings;
  readonly upstream: Upstream;
  readonly breakers: UpstreamBreakers;
  readonly bulkhead: Bulkhead;
}

/** The state of an upstream. */
export interface UpstreamState {
  readonly id: string;
  readonly running: number;
  readonly queued: number;
  /** Of all its models. */
  readonly breaker: BreakerState;
  /** Models that no account may ask for now. */
  readonly closedModels: readonly string[];
  /** Models whose requests fail, for one account at least. */
  readonly failingModels: readonly string[];
}

/** Upstreams by their keys. */
export interface UpstreamSet extends AsyncDisposable {
  /** Errors: `invalid_value` on its address. */
  open(place: UpstreamSettings): Promise<OpenUpstream>;
  states(): readonly UpstreamState[];
}

/** How often upstreams are checked, and how long an idle one is kept. */
const SWEEP_MS = 30_000;
const IDLE_MS = 600_000;
/** Of an answer of a provider: some send long policies. */
const HEADER_BYTES = 64 * 1024;

interface Entry {
  readonly opening: Promise<OpenUpstream>;
  opened: OpenUpstream | undefined;
  usedMs: number;
}

/** A set with no upstream yet. `lookUpAll`: how names are resolved. */
export function createUpstreamSet(clock: Clock, lookUpAll: LookUpAll): UpstreamSet {
  const entries = new Map<string, Entry>();
  const stop = every(SWEEP_MS, clock, () => {
    for (const [key, { opened, usedMs }] of entries) {
      if (opened === undefined || clock.nowMs() - usedMs < IDLE_MS) continue;
      if (opened.bulkhead.running + opened.bulkhead.queued > 0) continue;
      entries.delete(key);
      void opened.upstream[Symbol.asyncDispose]();
    }
  });
  return {
    open(place) {
      const known = entries.get(place.key);
      if (known !== undefined) {
        known.usedMs = clock.nowMs();
        return known.opening;
      }
      const entry: Entry = { opening: openOne(place, clock, lookUpAll), opened: undefined, usedMs: clock.nowMs() };
      entries.set(place.key, entry);
      entry.opening.then(
        (opened) => (entry.opened = opened),
        () => entries.delete(place.key),
      );
      return entry.opening;
    },
    states() {
      return [...entries.values()].flatMap(({ opened }) => {
        if (opened === undefined) return [];
        const { place, bulkhead, breakers } = opened;
        const { state: breaker, closedModels, failingModels } = breakers;
        return {
          id: place.id,
          running: bulkhead.running,
          queued: bulkhead.queued,
          breaker,
          closedModels,
          failingModels,
        };
      });
    },
    async [Symbol.asyncDispose]() {
      stop();
      const all = await Promise.allSettled(Array.from(entries.values(), ({ opening }) => opening));
      const opened = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value.upstream] : []));
      await Promise.all(opened.map((upstream) => upstream[Symbol.asyncDispose]()));
    },
  };
}

async function openOne(place: UpstreamSettings, clock: Clock, lookUpAll: LookUpAll): Promise<OpenUpstream> {
  const { id, baseUrl, mayConnect, connections, firstByteMs, idleMs, requestMs } = place;
  const limits = { firstByteMs, idleMs, requestMs, requests: connections, headerBytes: HEADER_BYTES };
  const upstream = await createUpstream({ id, baseUrl, limits, clock, mayConnect, lookUpAll });
  return { place, upstream, breakers: new UpstreamBreakers(clock), bulkhead: new Bulkhead(id, clock) };
}
