import { present } from '../../../../base/index.js';
import { bindOp } from './index.js';
import type { ThreadGroupStep } from '../threads/control.js';
import type { BoundOp, ThreadView } from '../threads/thread-view.js';

/** Runs a graph's steps as one thread of a thread group. */
export interface Executor {
  run(step: ThreadGroupStep): void;
}

/** Binds a graph to memory for one thread, by a view for each size of thread group that it works in. `onOp` is called after each fused op. */
export function createExecutor(views: readonly ThreadView[], onOp?: () => void): Executor {
  const bySize = new Map(views.map((view) => [view.threads, { ops: bindOps(view), barrier: view.barrier }]));
  return {
    run(step) {
      const { ops, barrier } = present(bySize.get(step.threads), 'a view for each size of thread group');
      const count = Math.min(step.ops, ops.length);
      // Every fused op ends with one barrier.
      for (let index = 0; index < count; index++) {
        (ops[index] as BoundOp)(step);
        barrier();
        onOp?.();
      }
    },
  };
}

/** The fused ops in order, with the residual stream carried along where the next op lies in another segment. */
function bindOps(view: ThreadView): BoundOp[] {
  const { opSegments } = view.plan;
  let residualSegment = present(opSegments[0], 'a graph has ops');
  return view.graph.ops.flatMap((op, index) => {
    const segment = present(opSegments[index], 'each op has a segment');
    const moved = segment === residualSegment ? [] : [moveResidual(residualSegment, segment, view)];
    residualSegment = segment;
    return [...moved, bindOp(op, segment, view)];
  });
}

/** Copies hidden from segment to segment, shared by rows: kernels see one memory only. */
function moveResidual(from: number, to: number, view: ThreadView): BoundOp {
  const stride = view.plan.strides.hidden;
  const source = view.segment(from);
  const target = view.segment(to);
  const sourceBytes = new Uint8Array(source.memory);
  const targetBytes = new Uint8Array(target.memory);
  return ({ rows }) => {
    const { start, end } = view.share(rows);
    const moved = sourceBytes.subarray(source.at.hidden + start * stride, source.at.hidden + end * stride);
    targetBytes.set(moved, target.at.hidden + start * stride);
  };
}
