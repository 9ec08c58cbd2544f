// What the policy of billing allows a request to come to: by what its provider told, what its client has, and whether its node
// was killed meanwhile.
import type { Generation } from '../../../src/billing/index.js';
import type { Seen } from './client.js';
import { costOf, CUT_AFTER, ESTIMATED_PROMPT, fateOf, tokensOf, type Fate } from './fates.js';
import type { Produced } from './provider.js';

/** One request of a run, once all is over. */
export interface Case {
  readonly index: number;
  readonly seen: Seen;
  /** Undefined: its provider never got it. */
  readonly produced: Produced | undefined;
  /** When the node was killed that had it; undefined: it was not. Milliseconds since 1970. */
  readonly killedMs: number | undefined;
}

/**
 * - `exact`: charged what the provider told.
 * - `estimated`: charged what passed the node.
 * - `voided`: recorded, and charged nothing.
 * - `none`: no record, and charged nothing.
 */
export type Outcome = 'exact' | 'estimated' | 'voided' | 'none';

/** How a request stands to its node. */
export type Circumstance = 'not sent' | 'alive' | 'killed';

/**
 * How long behind the end of an answer whose client is gone its settlement may not be written yet: the node hears of the end,
 * and has a transaction and a disk before it, on a machine that does much else.
 */
const SETTLING_MS = 3_000;

/** Whether its node was killed while it had the request, as far as anybody outside can know. */
export function circumstanceOf({ seen, produced, killedMs }: Case): Circumstance {
  if (produced === undefined) return 'not sent';
  // Who has an answer whole is never a case of a node that was killed: its settlement is written before.
  if (killedMs === undefined || seen.isWhole) return 'alive';
  const endedMs = Math.max(seen.endedMs, produced.endedMs ?? Infinity);
  return killedMs - endedMs > SETTLING_MS ? 'alive' : 'killed';
}

/** On a node that lives each request has one outcome. */
const ALIVE: Readonly<Record<Fate, readonly Outcome[]>> = {
  whole: ['exact'],
  stream: ['exact'],
  untold: ['estimated'],
  // The node reads on, and is told.
  leaves: ['exact'],
  // The provider told nothing, and was stopped.
  early: ['voided'],
  // By what passed; nothing, where the connection broke before the node had any of it.
  cut: ['estimated', 'voided'],
  fails: ['voided'],
};

/**
 * On a node that is killed a request is settled where its settlement was written before, or lay in the outbox; else the sweeper
 * voids its hold. One that was admitted from an allowance has no hold: the money goes back with the allowance, and nobody
 * knows of the request. It never costs anything else than on a node that lives.
 */
function allowedOf(one: Case): readonly Outcome[] {
  const circumstance = circumstanceOf(one);
  // Refused, or the node was killed before: nothing was produced. A refusal leaves no record; what was admitted is voided.
  if (circumstance === 'not sent') return ['none', 'voided'];
  const alive = ALIVE[fateOf(one.index)];
  return circumstance === 'alive' ? alive : [...alive, 'voided', 'none'];
}

/** The outcome of a request, or what is wrong with it. */
export function judge(
  one: Case,
  found: Generation | undefined,
): { readonly outcome: Outcome; readonly fault?: string } {
  const outcome = outcomeOf(found);
  const fault = faultOf(one, outcome, found);
  return fault === undefined ? { outcome } : { outcome, fault: `${fault}: ${describe(one, found)}` };
}

function faultOf(one: Case, outcome: Outcome, found: Generation | undefined): string | undefined {
  const { index, produced, seen } = one;
  const fate = fateOf(index);
  if (produced !== undefined && produced.arrivals !== 1) return 'the provider was asked more than once';
  if (!allowedOf(one).includes(outcome)) return `${outcome} is not what the policy says`;
  const isReader = fate === 'whole' || fate === 'stream' || fate === 'untold';
  if (isReader && circumstanceOf(one) === 'alive' && !seen.isWhole) return 'the answer did not reach its client';
  if (outcome === 'exact' && produced?.isTold !== true) return 'settled as told, and the provider told nothing';
  if (found === undefined || outcome === 'none') return undefined;
  const tokens = { prompt: found.promptTokens, completion: found.completionTokens };
  if (outcome === 'voided') return isNothing(found) ? undefined : 'voided, and it has a cost';
  if (found.costMicro !== costOf(tokens)) return 'its cost is not that of its tokens';
  if (outcome === 'exact') {
    const told = tokensOf(index);
    return tokens.prompt === told.prompt && tokens.completion === told.completion ? undefined : 'not what was told';
  }
  if (tokens.prompt !== ESTIMATED_PROMPT) return 'its prompt is not the estimate';
  const most = fate === 'cut' ? CUT_AFTER : tokensOf(index).completion;
  const least = fate === 'cut' ? Math.max(1, seen.tokens) : most;
  return tokens.completion >= least && tokens.completion <= most ? undefined : 'not what passed';
}

function outcomeOf(found: Generation | undefined): Outcome {
  if (found === undefined) return 'none';
  if (found.state === 'settled') return found.isEstimated ? 'estimated' : 'exact';
  return 'voided';
}

function isNothing({ costMicro, promptTokens, completionTokens }: Generation): boolean {
  return costMicro === 0n && promptTokens === 0 && completionTokens === 0;
}

function describe(one: Case, found: Generation | undefined): string {
  const text = JSON.stringify({ fate: fateOf(one.index), ...one, found }, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return text;
}
