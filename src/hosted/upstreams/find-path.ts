import type { HostedConfig } from '../config/index.js';
import type { GatewayDirectory, GatewayTarget } from '../gateways/gateway-directory.js';
import { isSlug } from '../gateways/slug.js';
import { relayedApis, type RelayedApi } from '../../relay-serving/index.js';
import type { ProviderTable } from './provider-table.js';
import type { FoundPath } from './relay-target.js';

/** The providers and gateways in which paths are looked up. */
export interface Paths {
  readonly table: () => ProviderTable;
  readonly directory: GatewayDirectory;
}

/** The first part of paths and names of connected gateways. */
const GATEWAYS = 'pgw';
const MODELS = 'v1/models';
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

/** Finds a path of a provider or a gateway, given without base path. Undefined: unknown. */
export function findPath(own: string, { table, directory }: Paths): FoundPath | undefined {
  const { paths, config } = table();
  const [first, slug = '', ...rest] = own.split('/');
  if (first !== GATEWAYS) return paths.get(own) ?? findModelPath(own, paths);
  const gateway = isSlug(slug) ? directory.find(slug) : undefined;
  const path = rest.join('/');
  if (gateway === undefined) return undefined;
  const { provider } = gateway;
  if (path === MODELS) return { kind: 'models', provider };
  if (path.startsWith(`${MODELS}/`)) return toModelPath(provider, path.slice(MODELS.length + 1));
  const api = gatewayApis.get(path);
  return api && { kind: 'relay', target: toGatewayTarget(gateway, api, config) };
}

/** One model of a provider, whose id may have slashes. */
function findModelPath(own: string, paths: ProviderTable['paths']): FoundPath | undefined {
  const at = own.indexOf(`/${MODELS}/`);
  const list = at < 0 ? undefined : paths.get(own.slice(0, at + MODELS.length + 1));
  return list?.kind === 'models' ? toModelPath(list.provider, own.slice(at + MODELS.length + 2)) : undefined;
}

/** Undefined: the escapes of the path are not UTF-8. */
function toModelPath(provider: string, escaped: string): FoundPath | undefined {
  try {
    return { kind: 'models', provider, model: decodeURIComponent(escaped) };
  } catch {
    return undefined;
  }
}

/** Where requests to one API of a connected gateway go. */
export function toGatewayTarget(
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
