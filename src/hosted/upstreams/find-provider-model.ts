// Models as requests to a plain path name them: `openai/gpt-5`, `pgw/berlin/llama3`.
import { isSlug, toProvider } from '../gateways/slug.js';
import { relayedApis, type RelayedApi } from '../../relay-serving/index.js';
import { toGatewayTarget, type Paths } from './find-path.js';
import type { RelayTarget } from './relay-target.js';

/** A model, and its provider. */
export interface ProviderModel {
  /** As prices, keys and usage name it: the id of a provider, `pgw/<slug>`. */
  readonly provider: string;
  /** As the upstream names it. It may have slashes. */
  readonly model: string;
  /** The APIs that the provider has, by where they are plainly. */
  readonly apis: readonly RelayedApi[];
  /** Where its requests to an API go; undefined: the provider does not have the API. */
  targetOf(api: RelayedApi): RelayTarget | undefined;
}

const all: readonly RelayedApi[] = Object.values<RelayedApi>(relayedApis);

/**
 * Reads `provider/model`. The provider is the id or the path of one of the file, or `pgw/<slug>`; an id comes before a path.
 * Undefined: the name has no model, or no provider of the service.
 */
export function findProviderModel(name: string, paths: Paths): ProviderModel | undefined {
  return name.startsWith('pgw/') ? findOfGateway(name, paths) : findOfProvider(name, paths);
}

function findOfGateway(name: string, { table, directory }: Paths): ProviderModel | undefined {
  const [, slug = '', ...rest] = name.split('/');
  const gateway = isSlug(slug) ? directory.find(slug) : undefined;
  const model = rest.join('/');
  if (gateway === undefined || model === '') return undefined;
  const { config } = table();
  return {
    provider: toProvider(slug),
    model,
    apis: all,
    targetOf: (api) => plain(toGatewayTarget(gateway, api, config), api),
  };
}

function findOfProvider(name: string, { table }: Paths): ProviderModel | undefined {
  const { config, targets } = table();
  const before = (prefix: string): boolean => name.startsWith(`${prefix}/`) && name.length > prefix.length + 1;
  const byId = config.providers.find(({ id }) => before(id));
  const found = byId ?? config.providers.find(({ path }) => before(path));
  if (found === undefined) return undefined;
  const prefix = byId === undefined ? found.path : found.id;
  const its = targets.get(found.id) ?? [];
  // The plain path of an API precedes longer ones, such as those with a prefix.
  const targetOf = (api: RelayedApi): RelayTarget | undefined =>
    its.find((target) => target.api === api && target.upstreamPath === api.path) ??
    its.find((target) => target.api === api);
  return {
    provider: found.id,
    model: name.slice(prefix.length + 1),
    apis: all.filter((api) => targetOf(api) !== undefined),
    targetOf: (api) => {
      const target = targetOf(api);
      return target && plain(target, api);
    },
  };
}

/** The same, as log and metrics show requests to a plain path. */
function plain(target: RelayTarget, { path }: RelayedApi): RelayTarget {
  return { ...target, shownPath: path };
}
