import { AppError, suggestion } from '../../base/index.js';
import type { Prices } from '../../billing/index.js';
import { pricedModels } from '../catalog/priced-models.js';
import type { HostedConfig } from '../config/index.js';
import type { GatewayStore } from '../gateways/gateway-store.js';
import { toProvider } from '../gateways/slug.js';

/** The sources of known models. */
export interface KnownModels {
  readonly config: () => Pick<HostedConfig, 'providers'>;
  readonly gateways: Pick<GatewayStore, 'list'>;
  readonly billing: { readonly prices: Pick<Prices, 'list'> };
}

/**
 * Refuses a list of models for a key that names a provider or a model which the service does not have: the key could never use
 * it. A pattern with `*` may also mean models to come, and so may any model of a provider without known models. Errors:
 * `invalid_value`, `database_unavailable`.
 */
export async function checkModels(models: readonly string[] | null, known: KnownModels): Promise<void> {
  const named = models?.filter((pattern) => !pattern.includes('*')) ?? [];
  if (named.length === 0) return;
  const providers = await readProviders(known);
  const near = [...providers.keys()];
  for (const name of named) {
    if (providers.has(name)) continue;
    const provider = near.find((id) => name.startsWith(`${id}/`));
    const its = provider === undefined ? [] : await modelsOf(provider, providers, known);
    if (its === 'any' || its.includes(name)) continue;
    throw unknownModel(name, provider === undefined ? [...near, ...(await allModels(providers, known))] : its);
  }
}

/**
 * Models by the names of providers: the listed models of a file or a gateway; `priced`: models with a price; `any`:
 * all.
 */
type Providers = ReadonlyMap<string, readonly string[] | 'priced' | 'any'>;

async function readProviders({ config, gateways }: KnownModels): Promise<Providers> {
  const ofFile = config().providers.map(
    ({ id, models, unpriced }) => [id, models ?? (unpriced === 'free' ? 'any' : 'priced')] as const,
  );
  const connected = (await gateways.list()).map(
    ({ slug, sync }) => [toProvider(slug), sync.models.map(({ id }) => id)] as const,
  );
  return new Map([...ofFile, ...connected]);
}

/** The models of a provider as keys name them. */
async function modelsOf(
  provider: string,
  providers: Providers,
  { billing }: KnownModels,
): Promise<readonly string[] | 'any'> {
  const listed = providers.get(provider) ?? [];
  if (listed === 'any') return 'any';
  const models = listed === 'priced' ? await pricedModels(billing.prices, provider) : listed;
  return models.length === 0 ? 'any' : models.map((model) => `${provider}/${model}`);
}

async function allModels(providers: Providers, known: KnownModels): Promise<readonly string[]> {
  const all = await Promise.all([...providers.keys()].map((provider) => modelsOf(provider, providers, known)));
  return all.flatMap((its) => (its === 'any' ? [] : its));
}

function unknownModel(name: string, candidates: readonly string[]): AppError {
  const shown = /^[\x21-\x7e]{1,64}$/.test(name) ? name : 'a name';
  const same = candidates.find((candidate) => candidate.endsWith(`/${name}`));
  const meant = same === undefined ? suggestion(name, candidates) : ` Did you mean ${same}?`;
  const message = `models has ${shown}, which is no provider, gateway or model of this service.${meant} Write openai/gpt-5 or pgw/berlin/llama3; * stands for any text.`;
  return new AppError('invalid_value', message, { param: 'models' });
}
