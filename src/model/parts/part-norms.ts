// The norms around a part of a layer: of its input, and of its output before that is added to the residual stream.

import type { LinearOp, Norm, Op } from '../../compute/index.js';
import type { ModelConfig } from '../config.js';
import { vector, allRows, type WeightSpec } from '../weight-table.js';
import type { PartNorms } from './part.js';

/** The norm that a part's first op applies to its input. */
export function normBefore(weight: string, norm: PartNorms['norm']): { readonly norm?: Norm } {
  return hasNorm(norm) ? { norm: { weight } } : {};
}

/** Gates of a part's values, which it multiplies later. */
export function gateLinear(norm: { readonly norm?: Norm }, weight: string): LinearOp {
  return { op: 'linear', input: 'hidden', ...norm, weight, output: 'gate', epilogue: 'store' };
}

/** Its weight, of the layer whose tensors begin with `from`. */
export function normBeforeWeights(
  name: string,
  from: string,
  { hiddenSize, normOffset }: ModelConfig,
  norm: PartNorms['norm'],
): WeightSpec[] {
  return hasNorm(norm) ? [vector(name, [allRows(`${from}.${norm}.weight`, hiddenSize)], normOffset)] : [];
}

/** The target of a part's last matrix: the residual stream, or a separate buffer for the norm or the scale. */
export function residualOutput(
  { residualScale }: ModelConfig,
  normAfter?: PartNorms['normAfter'],
): Pick<LinearOp, 'output' | 'epilogue'> {
  return normAfter || residualScale !== 1
    ? { output: 'branch', epilogue: 'store' }
    : { output: 'hidden', epilogue: 'add' };
}

/** The op that norms or scales a part's output and adds it to the residual stream. */
export function normAfterOps({ residualScale }: ModelConfig, weight?: string): Op[] {
  if (weight === undefined && residualScale === 1) return [];
  return [{ op: 'addNorm', ...(weight !== undefined && { norm: { weight } }), scale: residualScale }];
}

/** Its weight, of the layer whose tensors begin with `from`. */
export function normAfterWeights(
  name: string,
  from: string,
  config: ModelConfig,
  normAfter: PartNorms['normAfter'],
): WeightSpec[] {
  return normBeforeWeights(name, from, config, normAfter?.tensor);
}

function hasNorm(norm: string | null | undefined): norm is string {
  return norm !== undefined && norm !== null;
}
