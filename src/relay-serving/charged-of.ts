import type { AnswerOutcome } from '../relay/index.js';
import { NO_USAGE } from './nothing-used.js';
import type { RelayedApi } from './relayed-api.js';

/** The outcome to charge: a free API costs no tokens, whatever its answer reports. */
export function chargedOf({ isFree }: Pick<RelayedApi, 'isFree'>, outcome: AnswerOutcome): AnswerOutcome {
  if (!isFree) return outcome;
  const { began: _, ...usage } = NO_USAGE;
  return { ...outcome, usage };
}
