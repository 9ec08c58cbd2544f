import type { Control } from './control.js';
import type { MemoryPlan } from './memory-plan.js';
import type { Program } from './program.js';
import { ThreadView, type Bank } from './thread-view.js';

/** How many of `threads` a step may use, ascending: powers of two, and all. */
export function teamSizes(threads: number): number[] {
  const sizes: number[] = [];
  for (let size = 1; size < threads; size *= 2) sizes.push(size);
  return [...sizes, threads];
}

/** The views of thread `thread`: one for each size of team that it works in, meeting at `control`. */
export function createTeamViews(
  program: Program,
  plan: MemoryPlan,
  banks: readonly Bank[],
  control: Control | undefined,
  thread: number,
): ThreadView[] {
  return teamSizes(control?.threads ?? 1)
    .filter((threads) => thread < threads)
    .map((threads) => {
      const alone = { thread, threads, barrier: (): void => {}, claims: undefined };
      const place =
        control === undefined || threads === 1
          ? alone
          : { ...alone, barrier: (): void => control.barrier(), claims: control.claims };
      return new ThreadView(program, plan, banks, place);
    });
}
