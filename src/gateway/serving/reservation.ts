// The highest cost of a request, from its body, its model and its key.
import { AppError } from '../../base/index.js';
import type { KeyRecord } from '../../metering/index.js';
import { checkChoices, outputLimitOf as limitOf, type RelayedApi } from '../../relay-serving/index.js';
import type { RequestFacts } from '../../relay/index.js';
import type { RoutedModel } from '../routing/routing-table.js';

/** The most completion tokens of one choice; undefined: no limit is stated. */
export function statedOutputLimit(
  api: RelayedApi,
  facts: RequestFacts,
  model: RoutedModel,
  { limits }: KeyRecord,
): number | undefined {
  return limitOf(api, facts, [model.maxOutputTokens, limits.maxOutputTokens]);
}

/** Refuses a request above the limits of its key, of its model or of all requests. Errors: `invalid_value`. */
export function checkAsked(facts: RequestFacts, model: RoutedModel, key: KeyRecord): void {
  checkChoices(facts);
  const { maxOutputTokens } = facts;
  for (const [whose, limit] of [
    ['this key', key.limits.maxOutputTokens],
    ['this model', model.maxOutputTokens],
  ] as const) {
    if (limit === undefined || maxOutputTokens === undefined || maxOutputTokens <= limit) continue;
    const message = `the request asks for ${maxOutputTokens} completion tokens, and ${whose} allows ${limit}; ask for no more`;
    throw new AppError('invalid_value', message, { param: 'max_tokens', limit });
  }
}
