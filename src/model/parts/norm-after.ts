// The additions of a part with a norm after it.

import type { LinearOp, Op } from '../../compute/index.js';
import type { ModelConfig } from '../config.js';
import { vector, allRows, type WeightSpec } from '../weight-table.js';
import type { NormAfter } from './part.js';

/** The target of a part's last matrix: the residual stream, or a separate buffer for the norm. */
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
    : [vector(name, [allRows(`${from}.${normAfter.tensor}.weight`, hiddenSize)], normOffset)];
}
