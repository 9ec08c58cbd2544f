import { Actor } from '../actor/index.js';
import { AppError } from '../base/index.js';
import type { PreparedKernels } from './backends/index.js';
import { openBanks } from './banks.js';
import { Control, type TeamStep } from './control.js';
import { createExecutor, type Executor } from './executor.js';
import type { MemoryPlan } from './memory-plan.js';
import type { Program } from './program.js';
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
 * A thread that does nothing but its share of the steps that want it. While it runs it hears no message: whoever stops it sets
 * the control block's stop word (`Control.stop`), which is its child spec's `interrupt`.
 */
export class ComputeThread extends Actor {
  readonly #control: Control;
  readonly #executor: Executor;

  constructor(init: TeamInit & { readonly thread: number }) {
    super();
    this.#control = new Control(init.control, init.thread);
    const banks = openBanks(init.kernels, init.memories);
    this.#executor = createExecutor(createTeamViews(init.program, init.plan, banks, this.#control, init.thread));
  }

  override started(): void {
    setImmediate(() => this.#work());
  }

  #work(): void {
    const step: TeamStep = { rows: 0, logitRows: 0, threads: 0, passes: 0 };
    try {
      let last: number | undefined = 0;
      while ((last = this.#control.next(last, step)) !== undefined) this.#executor.run(step);
    } catch (error) {
      // Stopped in the middle of a step: the thread is wanted no more. Anything else is a crash.
      if (!(error instanceof AppError) || error.code !== 'compute_stopped') throw error;
    }
  }
}
