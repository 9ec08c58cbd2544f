import { Actor } from '../actor/index.js';
import { isAppError } from '../base/index.js';
import type { PreparedKernels } from './backends/index.js';
import { openBanks } from './banks.js';
import { Control, NO_KERNEL, type TeamTask } from './control.js';
import { createExecutor, type Executor } from './executor.js';
import type { MemoryPlan } from './memory-plan.js';
import type { Program } from './program.js';
import { createRowWorker } from './row-team.js';
import { placeLogitRow } from './row.js';
import { createTeamViews } from './team-views.js';

/** Where this actor's class is imported from, at whichever placement. */
export const computeThreadModule = new URL(import.meta.url);

/** Everything that a thread of the team needs; shared memories travel by reference. */
export interface TeamInit {
  readonly program: Program;
  readonly plan: MemoryPlan;
  readonly kernels: PreparedKernels;
  readonly memories: readonly WebAssembly.Memory[];
  readonly control: SharedArrayBuffer;
  readonly threads: number;
}

/**
 * A thread that does nothing but its share of the steps that want it, and of sampling after them. While it runs it hears no message: whoever stops it sets
 * the control block's stop word (`Control.stop`), which is its child spec's `interrupt`.
 */
export class ComputeThread extends Actor {
  readonly #control: Control;
  readonly #executor: Executor;
  readonly #share: (kernel: number, threads: number) => void;

  constructor(init: TeamInit & { readonly thread: number }) {
    super();
    this.#control = new Control(init.control, init.thread);
    const banks = openBanks(init.kernels, init.memories);
    this.#executor = createExecutor(createTeamViews(init.program, init.plan, banks, this.#control, init.thread));
    this.#share = createRowWorker(placeLogitRow(init.program, init.plan, banks), this.#control, init.thread);
  }

  override started(): void {
    setImmediate(() => this.#work());
  }

  #work(): void {
    const task: TeamTask = { kernel: NO_KERNEL, rows: 0, logitRows: 0, threads: 0, passes: 0 };
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
