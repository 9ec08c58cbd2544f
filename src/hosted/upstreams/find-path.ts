import type { HostedConfig } from '../config/index.js';
import type { GatewayDirectory, GatewayTarget } from '../gateways/gateway-directory.js';
import { isSlug } from '../gateways/slug.js';
import { relayedApis, type RelayedApi } from '../../relay-serving/index.js';
import type { ProviderTable } from './provider-table.js';
import type { FoundPath } from './relay-target.js';

/** What paths are looked up in. */
export interface Paths {
  readonly table: () => ProviderTable;
  readonly directory: GatewayDirectory;
}

const GATEWAYS = 'pgw';
/** APIs of a gateway, by the paths that they have there. */
const gatewayApis: ReadonlyMap<string, RelayedApi> = new Map(
  Object.values<RelayedApi>(relayedApis).map((api) => [api.path.slice(1), api]),
);

/** The segments of a path as one text, without base path: several slashes count as one. */
export function toOwnPath(path: string, basePaths: readonly string[]): string {
  const own = path.split('/').filter(Boolean).join('/');
  for (const base of basePaths) {
    const prefix = base.slice(1);
    if (prefix !== '' && own.startsWith(`${prefix}/`)) return own.slice(prefix.length + 1);
  }
  return own;
}

/** What is under a path of a provider or a gateway, given without base path. Undefined: nothing. */
export function findPath(own: string, { table, directory }: Paths): FoundPath | undefined {
  const { paths, config } = table();
  const [first, slug = '', ...rest] = own.split('/');
  if (first !== GATEWAYS) return paths.get(own);
  const gateway = isSlug(slug) ? directory.find(slug) : undefined;
  const path = rest.join('/');
  if (gateway === undefined) return undefined;
  if (path === 'v1/models') return { kind: 'models', provider: gateway.provider };
  const api = gatewayApis.get(path);
  return api && { kind: 'relay', target: toTarget(gateway, api, config) };
}

function toTarget(
  gateway: GatewayTarget,
  api: RelayedApi,
  config: HostedConfig,
): Extract<FoundPath, { kind: 'relay' }>['target'] {
  const { idleStreamMs: idleMs, requestMs } = config.limits;
  const { connections, firstByteMs } = config.gateways;
  const { path } = api;
  const own: [string, string][] = [['authorization', `Bearer ${gateway.credential}`]];
  if (api.words === 'anthropic') own.push(['x-api-key', gateway.credential]);
  return {
    provider: gateway.provider,
    // Slugs are the operator's: as a label there would be thousands.
    shownPath: `/${GATEWAYS}/{slug}${path}`,
    api,
    place: {
      key: `${gateway.revision}/${idleMs}/${requestMs}`,
      id: gateway.provider,
      baseUrl: gateway.baseUrl,
      mayConnect: gateway.mayConnect,
      connections,
      firstByteMs: Math.min(firstByteMs, requestMs),
      idleMs,
      requestMs,
    },
    upstreamPath: path,
    own,
    asksUsage: gateway.metering === 'inject',
    isFree: false,
    maxOutputTokens: undefined,
    has: (model) => gateway.models.has(model),
  };
}
