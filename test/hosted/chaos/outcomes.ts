// The outcomes that the policy of billing allows a request: by the usage that its provider reported, the bytes that its
// client has, and whether its node was killed meanwhile.
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
 * How long after its end an answer whose client is gone may still be unsettled. The node has to notice the end, run a
 * transaction and write to the disk, on a busy machine.
 */
const SETTLING_MS = 3_000;

/** Whether its node was killed while it had the request, as far as an observer outside can know. */
export function circumstanceOf({ seen, produced, killedMs }: Case): Circumstance {
  if (produced === undefined) return 'not sent';
  // A request whose client has the whole answer is never a case of a killed node: its settlement is written before.
  if (killedMs === undefined || seen.isWhole) return 'alive';
  const endedMs = Math.max(seen.endedMs, produced.endedMs ?? Infinity);
  return killedMs - endedMs > SETTLING_MS ? 'alive' : 'killed';
}

/** On a node that lives each request has one outcome. */
const ALIVE: Readonly<Record<Fate, readonly Outcome[]>> = {
  whole: ['exact'],
  stream: ['exact'],
  untold: ['estimated'],
  // The node reads on, and gets the usage.
  leaves: ['exact'],
  // The provider reported nothing, and was stopped.
  early: ['voided'],
  // Charged by the tokens that passed; nothing if the connection broke before the node had any.
  cut: ['estimated', 'voided'],
  fails: ['voided'],
};

/**
 * A request on a killed node is settled if its settlement was written before, or was in the outbox; else the sweeper
 * voids its hold. A request admitted from an allowance has no hold: the money goes back with the allowance, and no
 * record of the request is left. It never costs anything else than on a node that lives.
 */
function allowedOf(one: Case): readonly Outcome[] {
  const circumstance = circumstanceOf(one);
  // Refused, or the node was killed before: nothing was produced. A refusal leaves no record; what was admitted is voided.
  if (circumstance === 'not sent') return ['none', 'voided'];
  const alive = ALIVE[fateOf(one.index)];
  return circumstance === 'alive' ? alive : [...alive, 'voided', 'none'];
}

/** The outcome of a request, or its fault. */
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
