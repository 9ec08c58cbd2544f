import { present } from '../base/index.js';
import { bindPass } from './passes/index.js';
import type { TeamStep } from './control.js';
import type { Pass, ThreadView } from './thread-view.js';

/** Runs a program's steps as one thread of a team. */
export interface Executor {
  run(step: TeamStep): void;
}

/** Binds a program to memory for one thread, by a view for each size of team that it works in. `onPass` is called after each pass. */
export function createExecutor(views: readonly ThreadView[], onPass?: () => void): Executor {
  const bySize = new Map(views.map((view) => [view.threads, { passes: bindPasses(view), barrier: view.barrier }]));
  return {
    run(step) {
      const { passes, barrier } = present(bySize.get(step.threads), 'a view for each size of team');
      const count = Math.min(step.passes, passes.length);
      // Every op is one pass that ends with one barrier.
      for (let index = 0; index < count; index++) {
        (passes[index] as Pass)(step);
        barrier();
        onPass?.();
      }
    },
  };
}

/** The passes in order, with the residual stream carried along where the next op lies in another bank. */
function bindPasses(view: ThreadView): Pass[] {
  const { opBanks } = view.plan;
  let residualBank = present(opBanks[0], 'a program has ops');
  return view.program.ops.flatMap((op, index) => {
    const bank = present(opBanks[index], 'each op has a bank');
    const moved = bank === residualBank ? [] : [moveResidual(residualBank, bank, view)];
    residualBank = bank;
    return [...moved, bindPass(op, bank, view)];
  });
}

/** Copies hidden from bank to bank, shared by rows: kernels see one memory only. */
function moveResidual(from: number, to: number, view: ThreadView): Pass {
  const stride = view.plan.strides.hidden;
  const source = view.bank(from);
  const target = view.bank(to);
  const sourceBytes = new Uint8Array(source.memory);
  const targetBytes = new Uint8Array(target.memory);
  return ({ rows }) => {
    const { start, end } = view.share(rows);
    const moved = sourceBytes.subarray(source.at.hidden + start * stride, source.at.hidden + end * stride);
    targetBytes.set(moved, target.at.hidden + start * stride);
  };
}
