// What a part with a norm after it has more than one without.

import type { LinearOp, Op } from '../../compute/index.js';
import type { ModelConfig } from '../config.js';
import { vector, whole, type WeightSpec } from '../weight-table.js';
import type { NormAfter } from './part.js';

/** Where the last matrix of a part puts its results: on the residual stream, or beside it to be normed. */
export function residualOutput(hasNormAfter: boolean): Pick<LinearOp, 'output' | 'epilogue'> {
  return hasNormAfter ? { output: 'branch', epilogue: 'store' } : { output: 'hidden', epilogue: 'add' };
}

/** The op that norms them and adds them to it. */
export function normAfterOps(weight: string, hasNormAfter: boolean): Op[] {
  return hasNormAfter ? [{ op: 'addNorm', norm: { weight } }] : [];
}

/** Its weight, of the layer whose tensors begin with `from`. */
export function normAfterWeights(
  name: string,
  from: string,
  { hiddenSize, normOffset }: ModelConfig,
  normAfter: NormAfter | undefined,
): WeightSpec[] {
  return normAfter === undefined
    ? []
    : [vector(name, [whole(`${from}.${normAfter.tensor}.weight`, hiddenSize)], normOffset)];
}
