// The providers of a hosted.yaml, as requests need them. Each change of the file makes a new table, which replaces the
// old one whole. Requests under way keep the table that they began with.
import { createHash } from 'node:crypto';
import { mayServe } from '../../address/index.js';
import type { HeaderFields } from '../../http/index.js';
import { apiOfPath, plainApiOf, relayedApis, type RelayedApi } from '../../relay-serving/index.js';
import type { HostedConfig, ProviderConfig, ProviderPathConfig } from '../config/index.js';
import type { FoundPath, RelayTarget } from './relay-target.js';
import type { ReadSecret } from '../service/read-service-secret.js';

/** The credentials that providers get instead of a client's key, by the ids of providers. */
export type Credentials = ReadonlyMap<string, string>;

/** Reads the credentials of all providers that have one. Errors: those of `ReadSecret`. */
export async function readCredentials(providers: readonly ProviderConfig[], read: ReadSecret): Promise<Credentials> {
  const found = await Promise.all(
    providers.map(async ({ id, credential }) =>
      credential === undefined ? [] : [[id, await read(credential, `the credential of the provider ${id}`)] as const],
    ),
  );
  return new Map(found.flat());
}

/** Providers and their paths. */
export interface ProviderTable {
  readonly config: HostedConfig;
  /** Whole paths without the slash at their beginning. */
  readonly paths: ReadonlyMap<string, FoundPath>;
  /** The targets of each provider, by its id, in the order of its paths. */
  readonly targets: ReadonlyMap<string, readonly RelayTarget[]>;
  readonly corsOrigins: ReadonlySet<string>;
}

/** The table of a file. */
export function toProviderTable(config: HostedConfig, credentials: Credentials): ProviderTable {
  const paths = new Map<string, FoundPath>();
  const targets = new Map<string, RelayTarget[]>();
  for (const provider of config.providers) {
    const place = toPlace(provider, config, credentials.get(provider.id));
    const models = provider.models === null ? undefined : new Set(provider.models);
    const own = toOwnFields(provider, credentials.get(provider.id));
    const its: RelayTarget[] = [];
    targets.set(provider.id, its);
    paths.set(`${provider.path}/v1/models`, { kind: 'models', provider: provider.id });
    for (const { path, upstream, dialect } of provider.paths) {
      const api = toApi(dialect, upstream);
      const target: RelayTarget = {
        provider: provider.id,
        shownPath: `/${provider.path}${path}`,
        api,
        place,
        upstreamPath: upstream,
        own,
        asksUsage: provider.metering === 'inject',
        isFree: provider.unpriced === 'free',
        maxOutputTokens: provider.maxOutputTokens,
        has: (model) => models?.has(model),
      };
      its.push(target);
      paths.set(`${provider.path}${path}`, { kind: 'relay', target });
    }
  }
  return { config, paths, targets, corsOrigins: new Set(config.corsOrigins) };
}

function toApi(dialect: ProviderPathConfig['dialect'], upstream: string): RelayedApi {
  if (dialect === undefined) return apiOfPath(upstream);
  return dialect === 'none' ? plainApiOf(upstream) : relayedApis[dialect];
}

function toPlace(
  provider: ProviderConfig,
  { limits }: HostedConfig,
  credential: string | undefined,
): RelayTarget['place'] {
  const { id, baseUrl, connections } = provider;
  const { idleStreamMs: idleMs, requestMs } = limits;
  const parts = [id, baseUrl, connections, idleMs, requestMs, credential ?? null];
  return {
    // A hash: map keys of upstreams must not contain secrets.
    key: createHash('sha256').update(JSON.stringify(parts)).digest('base64url'),
    id,
    baseUrl,
    mayConnect: mayServe,
    connections,
    firstByteMs: requestMs,
    idleMs,
    requestMs,
  };
}

function toOwnFields({ credentialHeader }: ProviderConfig, credential: string | undefined): HeaderFields {
  if (credential === undefined) return [];
  return [[credentialHeader, credentialHeader === 'authorization' ? `Bearer ${credential}` : credential]];
}
