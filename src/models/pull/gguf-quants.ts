// Chooses a quant of a repository.
import { isForeignQuant, isUnquantised, plainQuant, quantFactsOf } from '../../weights/index.js';

/** The default quantization. */
export const DEFAULT_QUANT = 'Q4_K_M';
/** The cost of a bit above the default, relative to a bit below it. Bits above cost memory and speed; bits below cost quality. */
const COST_ABOVE = 0.4;
/** The cost of a nat of loss, in bits. Q3_K_M loses 0.1, which is as bad as one bit away from the default. */
const COST_OF_LOSS = 10;
/** The loss of Q2_K: a quant that loses more is not chosen for its size alone. */
const MOST_LOSS = 0.45;

/**
 * The labels in order of preference if the request has no quant. First `Q4_K_M`; then by cost in size and quality
 * (`costOf`). Then files without a quant in their name, unquantised weights, and quants that this engine cannot read.
 * Of two of one kind the plain one precedes the `UD-` one.
 */
export function byPreference(labels: readonly (string | undefined)[]): (string | undefined)[] {
  const ranked = labels.map((label) => ({ label, group: groupOf(label), cost: costOf(label) }));
  return ranked
    .toSorted((a, b) => a.group - b.group || a.cost - b.cost || (a.label ?? '').length - (b.label ?? '').length)
    .map(({ label }) => label);
}

/** Whether a quant is good enough to replace a better one that does not fit. */
export function isUsable(label: string): boolean {
  const facts = quantFactsOf(label);
  return facts !== undefined && facts.loss <= MOST_LOSS && !isForeignQuant(label);
}

/**
 * The label for `asked`, in the form of `toQuantLabel`: that label, or the `UD-` mix of that name where there is no plain one. A
 * partial name (`Q4`, `Q4_K`) selects the preferred label among its completions. Undefined: none.
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
