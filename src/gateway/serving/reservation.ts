// How much a request may cost, from what its body, its model and its key say.
import { AppError } from '../../base/index.js';
import type { KeyRecord } from '../../metering/index.js';
import { checkChoices, outputLimitOf as limitOf, type RelayedApi } from '../../relay-serving/index.js';
import type { RequestFacts } from '../../relay/index.js';
import type { RoutedModel } from '../routing/routing-table.js';

/** Completion tokens at most of one choice; undefined: nobody says. */
export function outputLimitOf(
  api: RelayedApi,
  facts: RequestFacts,
  model: RoutedModel,
  { limits }: KeyRecord,
): number | undefined {
  return limitOf(api, facts, [model.maxOutputTokens, limits.maxOutputTokens]);
}

/** Refuses a request that asks for more than its key, its model or anybody may have. Errors: `invalid_value`. */
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
