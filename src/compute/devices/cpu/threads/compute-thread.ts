import { Actor } from '../../../../actor/index.js';
import { isAppError, locate } from '../../../../base/index.js';
import type { PreparedKernels } from '../kernel-set.js';
import { openSegments } from '../memory/segments.js';
import { Control, NO_KERNEL, type ThreadGroupTask } from './control.js';
import { createExecutor, type Executor } from '../ops/executor.js';
import type { MemoryPlan } from '../memory/memory-plan.js';
import type { ComputeGraph } from '../../../compute-graph.js';
import { createRowWorker } from '../logits/row-threads.js';
import { placeLogitRow } from '../logits/row.js';
import { createThreadGroupViews } from './thread-group-views.js';

/** The module that exports this actor's class, for any placement. Errors: `package_not_found`. */
export function computeThreadModule(): URL {
  return locate('dist/src/compute/devices/cpu/threads/compute-thread.js');
}

/** Everything that a thread of the thread group needs; shared memories travel by reference. */
export interface ThreadGroupInit {
  readonly graph: ComputeGraph;
  readonly plan: MemoryPlan;
  readonly kernels: PreparedKernels;
  readonly memories: readonly WebAssembly.Memory[];
  readonly control: SharedArrayBuffer;
  readonly threads: number;
}

/**
 * A thread that only runs its share of steps, and of the sampling after them. While it runs it handles no message: the
 * control block's stop word (`Control.stop`) stops it, which is its child spec's `interrupt`.
 */
export class ComputeThread extends Actor {
  readonly #control: Control;
  readonly #executor: Executor;
  readonly #share: (kernel: number, threads: number) => void;

  constructor(init: ThreadGroupInit & { readonly thread: number }) {
    super();
    this.#control = new Control(init.control, init.thread);
    const segments = openSegments(init.kernels, init.memories);
    this.#executor = createExecutor(
      createThreadGroupViews(init.graph, init.plan, segments, this.#control, init.thread),
    );
    this.#share = createRowWorker(placeLogitRow(init.graph, init.plan, segments), this.#control, init.thread);
  }

  override started(): void {
    setImmediate(() => this.#work());
  }

  #work(): void {
    const task: ThreadGroupTask = { kernel: NO_KERNEL, rows: 0, logitRows: 0, threads: 0, ops: 0 };
    try {
      let last: number | undefined = 0;
      while ((last = this.#control.next(last, task)) !== undefined) {
        if (task.kernel === NO_KERNEL) this.#executor.run(task);
        else this.#share(task.kernel, task.threads);
      }
    } catch (error) {
      // Stopped in the middle of a step: the thread is wanted no more. Anything else is a crash.
      if (!isAppError(error) || error.code !== 'compute_stopped') throw error;
    }
  }
}
