// The registry of fused ops. A device has a table with the same names: how it runs each.

import { addNorm, type AddNormOp } from './add-norm.js';
import { attention, type AttentionOp, type Heads } from './attention.js';
import { convolution, type ConvolutionOp } from './convolution.js';
import { deltaRule, type DeltaRuleOp } from './delta-rule.js';
import { embed, type EmbedOp } from './embed.js';
import { experts, type ExpertsOp } from './experts.js';
import { linear, type LinearOp } from './linear.js';
import { logits, type LogitsOp } from './logits.js';
import type { OpNeeds, PagedState, SequenceState } from './op.js';
import { sigmoidGate, type SigmoidGateOp } from './sigmoid-gate.js';

export { projectionNames, type AttentionOp, type Heads } from './attention.js';
export type { AddNormOp } from './add-norm.js';
export type { ConvolutionOp } from './convolution.js';
export { keyHeadOf, UNIT_EPS, type DeltaRuleOp } from './delta-rule.js';
export type { EmbedOp } from './embed.js';
export type { ExpertsOp } from './experts.js';
export type { Gate, LinearOp } from './linear.js';
export type { LogitsOp } from './logits.js';
export type { SigmoidGateOp } from './sigmoid-gate.js';
export {
  bufferNames,
  type BufferName,
  type HeadNorm,
  type Norm,
  type OpNeeds,
  type PagedState,
  type Projection,
  type SequenceState,
} from './op.js';

/** The fields of each op. */
interface Ops {
  readonly embed: EmbedOp;
  readonly attention: AttentionOp;
  readonly convolution: ConvolutionOp;
  readonly deltaRule: DeltaRuleOp;
  readonly sigmoidGate: SigmoidGateOp;
  readonly linear: LinearOp;
  readonly experts: ExpertsOp;
  readonly addNorm: AddNormOp;
  readonly logits: LogitsOp;
}

/** The name of a fused op. */
export type OpName = keyof Ops;
/** An op of the named kind; of any kind by default. */
export type Op<Name extends OpName = OpName> = { [Each in Name]: Ops[Each] & { readonly op: Each } }[Name];

const needs: { readonly [Name in OpName]: (op: Op<Name>) => OpNeeds } = {
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

/** What `op` needs of a device's memory. */
export function needsOf<Name extends OpName>(op: Op<Name>): OpNeeds {
  return needs[op.op](op);
}

/** What the ops of a graph keep of a sequence. */
export function statesOf(ops: readonly Op[]): readonly SequenceState[] {
  return ops.flatMap((op) => needsOf(op).keeps ?? []);
}

/** The layers that keep keys and values, with the widest window of those that read them. */
export function pagedLayers(ops: readonly Op[]): readonly PagedState[] {
  const states = statesOf(ops);
  return states
    .filter((state) => state.kind === 'paged')
    .map((paged) => {
      const readers = states.filter((state) => state.kind === 'shared' && state.of === paged.layer);
      const windows = [paged, ...readers].map((state) => ('window' in state ? state.window : 0));
      return { ...paged, window: windows.includes(0) ? 0 : Math.max(...windows) };
    });
}

/** The heads of each attention. */
export function attentionHeads(ops: readonly Op[]): readonly Heads[] {
  return ops.filter((op) => op.op === 'attention');
}

/** The states of fixed size by name, and the floats of each. */
export function fixedStates(ops: readonly Op[]): ReadonlyMap<string, number> {
  return new Map(statesOf(ops).flatMap((state) => (state.kind === 'fixed' ? [[state.name, state.floats]] : [])));
}
