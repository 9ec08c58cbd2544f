// Which of the quants of a repository is taken.
import { isForeignQuant, isUnquantised, plainQuant, quantFactsOf } from '../weights/index.js';

/** The default quantization. */
export const DEFAULT_QUANT = 'Q4_K_M';
/** What a bit above the default costs, of one below it: memory and speed, where those below lose quality. */
const COST_ABOVE = 0.4;
/** What a nat of loss costs, in bits. Q3_K_M loses 0.1, which is as bad as one bit away from the default. */
const COST_OF_LOSS = 10;
/** The loss of Q2_K: what loses more is not taken for its size alone. */
const MOST_LOSS = 0.45;

/**
 * The labels in the order in which they are taken where the name has no quant: `Q4_K_M`; then by what they cost in size and in quality
 * (`costOf`); then what says no quant; then unquantised weights; last what this engine cannot read. Of two of one kind the plain
 * one goes before the `UD-` one.
 */
export function byPreference(labels: readonly (string | undefined)[]): (string | undefined)[] {
  const ranked = labels.map((label) => ({ label, group: groupOf(label), cost: costOf(label) }));
  return ranked
    .toSorted((a, b) => a.group - b.group || a.cost - b.cost || (a.label ?? '').length - (b.label ?? '').length)
    .map(({ label }) => label);
}

/** Whether a quant is good enough to be taken for its size, in the place of a better one that does not fit. */
export function isUsable(label: string): boolean {
  const facts = quantFactsOf(label);
  return facts !== undefined && facts.loss <= MOST_LOSS && !isForeignQuant(label);
}

/**
 * The label that is meant by `asked`, as `toQuantLabel` writes it: that label; the `UD-` mix of that name where there is no
 * plain one; of a name that is a part of others (`Q4`, `Q4_K`) the one that would be taken of these. Undefined: none.
 */
export function findQuant(labels: readonly (string | undefined)[], asked: string): string | undefined {
  const named = labels.flatMap((label) => label ?? []);
  const same = named.find((label) => label === asked) ?? named.find((label) => plainQuant(label) === asked);
  if (same !== undefined) return same;
  const family = named.filter((label) => [label, plainQuant(label)].some((each) => each.startsWith(`${asked}_`)));
  return byPreference(family)[0];
}

function groupOf(label: string | undefined): number {
  if (label === undefined || quantFactsOf(label) === undefined) return 1;
  if (isForeignQuant(label)) return 3;
  return isUnquantised(label) ? 2 : 0;
}

/** Bits away from the default, those above at a lower price, and the loss of quality. The default costs least. */
function costOf(label: string | undefined): number {
  const facts = label === undefined ? undefined : quantFactsOf(label);
  const usual = quantFactsOf(DEFAULT_QUANT);
  if (label === undefined || facts === undefined || usual === undefined) return 0;
  if (plainQuant(label) === DEFAULT_QUANT) return -1;
  const above = facts.bits - usual.bits;
  return (above > 0 ? COST_ABOVE * above : -above) + COST_OF_LOSS * facts.loss;
}
