// The upstreams of a gateway over changes of its file: one that stays the same keeps its connections.
import { every, systemClock, type Clock } from '../../base/index.js';
import { createUpstream, type ServerProof, type Upstream, type UpstreamLimits } from '../../relay/index.js';
import type { RuntimeConfig, SecretSource } from '../config/index.js';
import { mayServe } from '../../address/index.js';
import { runtimeKinds } from '../runtimes/index.js';
import { toRuntimeBaseUrl } from './base-url.js';
import type { RoutedRuntime } from './model-target.js';

/** Milliseconds between two checks for unused upstreams. */
const SWEEP_MS = 1_000;
/** How long after a change of the file a request may still begin by the old file: its reservation is being written. */
const GRACE_MS = 30_000;

/** The name of a secret, and the code of the error if it is missing. */
export interface SecretAbout {
  readonly what: string;
  readonly code: 'runtime_secret_missing' | 'webhook_secret_missing' | 'telemetry_invalid';
}

/** Reads a secret that the file refers to. Errors: that of `about`, those of files. */
export type ReadSecret = (source: SecretSource, about: SecretAbout) => Promise<string>;

const CREDENTIAL: SecretAbout = { what: 'the key of a runtime', code: 'runtime_secret_missing' };

/** The credentials that runtimes get instead of a client's key, by the ids of runtimes. */
export type Credentials = ReadonlyMap<string, string>;

/** Reads the credentials of all runtimes that have one. Errors: those of `ReadSecret`. */
export async function readCredentials(runtimes: readonly RuntimeConfig[], read: ReadSecret): Promise<Credentials> {
  const found = await Promise.all(
    runtimes.map(async ({ id, apiKey }) =>
      apiKey === undefined ? [] : [[id, await read(apiKey, CREDENTIAL)] as const],
    ),
  );
  return new Map(found.flat());
}

/** Opens upstreams for runtimes. Closes those that left the file, after their last answer. */
export interface UpstreamPool extends AsyncDisposable {
  /** The runtimes of a file, in its order. Errors: those of an upstream's address. */
  open(
    configs: readonly RuntimeConfig[],
    credentials: Credentials,
    limits: Partial<UpstreamLimits>,
  ): Promise<readonly RoutedRuntime[]>;
}

/** Identifies the server at the address of the runtime `id`, see `UpstreamOptions.prove`. */
export type ProveRuntime = (id: string) => Promise<ServerProof>;

/** A pool with no upstream yet. `prove` is asked of runtimes whose fingerprint the file has. */
export function createUpstreamPool(prove: ProveRuntime, clock: Clock = systemClock): UpstreamPool {
  let inUse = new Map<string, RoutedRuntime>();
  /** Since when, on the clock. */
  const leaving = new Map<Upstream, number>();
  const stopSweeping = every(SWEEP_MS, clock, () => {
    for (const [upstream, sinceMs] of leaving) {
      if (upstream.running > 0 || clock.nowMs() - sinceMs < GRACE_MS) continue;
      leaving.delete(upstream);
      void upstream[Symbol.asyncDispose]();
    }
  });

  const openOne = async (
    config: RuntimeConfig,
    credential: string | undefined,
    limits: Partial<UpstreamLimits>,
  ): Promise<[string, RoutedRuntime]> => {
    const name = JSON.stringify([config, credential ?? null, limits]);
    const known = inUse.get(name);
    if (known !== undefined) return [name, known];
    const kind = runtimeKinds[config.kind];
    const upstream = await createUpstream({
      id: config.id,
      baseUrl: toRuntimeBaseUrl(config),
      limits,
      clock,
      mayConnect: mayServe,
      ...(config.fingerprint !== undefined && { prove: () => prove(config.id) }),
    });
    return [name, { config, kind, upstream, credential }];
  };

  return {
    async open(configs, credentials, limits) {
      const opening = configs.map((config) => openOne(config, credentials.get(config.id), limits));
      const opened = await Promise.allSettled(opening);
      const failed = opened.find((one) => one.status === 'rejected');
      const next = new Map(opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
      // A file that cannot be taken up changes nothing.
      const [gone, kept] = failed === undefined ? [inUse, next] : [next, inUse];
      for (const [name, { upstream }] of gone) if (!kept.has(name)) leaving.set(upstream, clock.nowMs());
      if (failed !== undefined) throw failed.reason;
      inUse = next;
      return [...next.values()];
    },
    async [Symbol.asyncDispose]() {
      stopSweeping();
      const all = [...leaving.keys(), ...Array.from(inUse.values(), ({ upstream }) => upstream)];
      await Promise.all(all.map((upstream) => upstream[Symbol.asyncDispose]()));
    },
  };
}
