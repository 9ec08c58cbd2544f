// For each fused op of a compute graph, its mathematics in plain loops.

import type { Batch } from '../../../batch.js';
import type { Op, OpName } from '../../../ops/index.js';
import type { Machine, RunOp } from '../machine.js';
import { addNorm } from './add-norm.js';
import { attention } from './attention.js';
import { convolution } from './convolution.js';
import { deltaRule } from './delta-rule.js';
import { embed } from './embed.js';
import { experts } from './experts.js';
import { linear } from './linear.js';
import { logits } from './logits.js';
import { sigmoidGate } from './sigmoid-gate.js';

const runs: { readonly [Name in OpName]: RunOp<Op<Name>> } = {
  embed,
  attention,
  convolution,
  deltaRule,
  sigmoidGate,
  linear,
  experts,
  addNorm,
  logits,
};

/** Runs `op` on the rows of `batch`. */
export function runOp<Name extends OpName>(op: Op<Name>, machine: Machine, batch: Batch): void {
  runs[op.op](op, machine, batch);
}
