import { AppError } from '../../base/index.js';
import { mayUse, type Caller, type Price } from '../../billing/index.js';
import type { RelayTarget } from '../upstreams/relay-target.js';
import type { HostedContext } from './hosted-route.js';

/** The model of a request, with its price. */
export interface ChosenModel {
  readonly model: string;
  readonly price: Price;
}

/**
 * The model that a request names, and its price now. Errors: `missing_required_parameter`, `model_not_found`,
 * `key_model_access_denied`, `model_not_priced`, `database_unavailable`.
 */
export async function chooseModel(
  model: string | undefined,
  target: RelayTarget,
  { key, account }: Caller,
  { billing, now }: Pick<HostedContext, 'billing' | 'now'>,
): Promise<ChosenModel> {
  const { provider, isFree, api } = target;
  if (model === undefined) {
    const message = 'the request names no model; set model to an id of GET /v1/catalog';
    throw new AppError('missing_required_parameter', message, { param: 'model' });
  }
  // A key that may not use a model does not learn whether the model exists.
  if (!mayUse(key.limits, provider, model)) throw accessDenied();
  if (target.has(model) === false) {
    const message = 'there is no such model under this path; GET /v1/catalog lists the existing ones';
    throw new AppError('model_not_found', message, { param: 'model' });
  }
  const nowMs = now();
  const price = await billing.prices.current(provider, model, nowMs);
  if (price !== undefined && !api.isFree) return { model, price };
  if (isFree || price !== undefined) return { model, price: freePrice(provider, model, account.currency, nowMs) };
  const message = 'the model has no price, so that it cannot be used; GET /v1/catalog lists those that have one';
  throw new AppError('model_not_priced', message, { param: 'model' });
}

/** The key may not use the model, whether it is there or not. */
export function accessDenied(): AppError {
  const message = 'this key may not use the requested model; GET /v1/models lists its models';
  return new AppError('key_model_access_denied', message, { param: 'model' });
}

/** Free models are limited and listed like all others. */
function freePrice(provider: string, model: string, currency: string, effectiveFromMs: number): Price {
  const tokens = { inputNano: 0n, cachedInputNano: 0n, cacheWriteNano: 0n, outputNano: 0n };
  const pieces = { requestNano: 0n, imageNano: 0n, audioNano: 0n };
  return { provider, model, version: 0, effectiveFromMs, currency, ...tokens, ...pieces };
}
