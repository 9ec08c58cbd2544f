import { AppError, codeOf, nearest } from '../../base/index.js';
import { mayUse, type Caller } from '../../billing/index.js';
import type { RelayedApi } from '../../relay-serving/index.js';
import { findProviderModel } from '../upstreams/find-provider-model.js';
import type { RelayTarget } from '../upstreams/relay-target.js';
import { accessDenied, chooseModel, type ChosenModel } from './choose-model.js';
import type { HostedContext } from './hosted-route.js';
import { toId, usableModels } from './usable-models.js';

/** Names that an error lists. */
const SHOWN = 5;

/** The parts of a node that choosing needs. */
type ChoiceContext = Pick<HostedContext, 'billing' | 'now' | 'catalog' | 'table' | 'directory'>;

/**
 * The target of a request to the plain path of an API, by its `provider/model`. The errors name the models of the key.
 * Errors: those of `chooseModel`; `not_found_error` if the provider lacks the API.
 */
export async function chooseNamed(
  name: string | undefined,
  api: RelayedApi,
  caller: Caller,
  context: ChoiceContext,
): Promise<{ readonly target: RelayTarget; readonly chosen: ChosenModel }> {
  if (name === undefined) {
    const message = `the request names no model; set model to an id of GET /v1/models${await likeOf('', caller, context)}`;
    throw new AppError('missing_required_parameter', message, { param: 'model' });
  }
  const named = findProviderModel(name, context);
  if (named === undefined) throw await unknownProvider(name, caller, context);
  const { provider, model } = named;
  if (!mayUse(caller.key.limits, provider, model)) throw accessDenied();
  const target = named.targetOf(api);
  if (target === undefined) throw lacksApi(provider, api, named.apis);
  try {
    return { target, chosen: await chooseModel(model, target, caller, context) };
  } catch (error) {
    if (!['model_not_found', 'model_not_priced'].includes(codeOf(error) ?? '')) throw error;
    const message = `${provider} has no such model, or the model has no price; GET /v1/models lists the models that there are${await likeOf(name, caller, context)}`;
    throw new AppError('model_not_found', message, { param: 'model' });
  }
}

async function unknownProvider(name: string, caller: Caller, context: ChoiceContext): Promise<AppError> {
  const hint = await likeOf(name, caller, context);
  const message = name.includes('/')
    ? `model begins with no provider of this service; write provider/model, an id of GET /v1/models${hint}`
    : `model names no provider; write provider/model, an id of GET /v1/models${hint}`;
  return new AppError('model_not_found', message, { param: 'model' });
}

/** The provider has other APIs. The error may name them, since the key may use the model. */
function lacksApi(provider: string, { path }: RelayedApi, apis: readonly RelayedApi[]): AppError {
  const others = apis.length === 0 ? 'it has none at a plain path' : `it has ${apis.map((api) => api.path).join(', ')}`;
  return new AppError('not_found_error', `models of ${provider} are not served at ${path}; ${others}`, {
    param: 'model',
  });
}

/** Models of the key with a similar name. Repeats nothing of the request. */
async function likeOf(name: string, caller: Caller, context: ChoiceContext): Promise<string> {
  const ids = (await usableModels(context, caller)).map(toId);
  if (ids.length === 0) return '. This key may use no model yet';
  const same = ids.filter((id) => name !== '' && id.endsWith(`/${name}`));
  const near = nearest(name, ids);
  if (same.length > 0 || near !== undefined) {
    return `. Did you mean ${(same.length > 0 ? same : [near]).slice(0, SHOWN).join(' or ')}?`;
  }
  const more = ids.length > SHOWN ? `, and ${ids.length - SHOWN} more` : '';
  return `. This key may use ${ids.slice(0, SHOWN).join(', ')}${more}`;
}
