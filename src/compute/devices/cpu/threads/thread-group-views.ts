import type { Control } from './control.js';
import type { MemoryPlan } from '../memory/memory-plan.js';
import type { ComputeGraph } from '../../../compute-graph.js';
import { ThreadView, type Segment } from './thread-view.js';

/** How many of `threads` a step may use, ascending: powers of two, and all. */
export function threadGroupSizes(threads: number): number[] {
  const sizes: number[] = [];
  for (let size = 1; size < threads; size *= 2) sizes.push(size);
  return [...sizes, threads];
}

/** The views of thread `thread`: one for each size of thread group that it works in, meeting at `control`. */
export function createThreadGroupViews(
  graph: ComputeGraph,
  plan: MemoryPlan,
  segments: readonly Segment[],
  control: Control | undefined,
  thread: number,
): ThreadView[] {
  return threadGroupSizes(control?.threads ?? 1)
    .filter((threads) => thread < threads)
    .map((threads) => {
      const alone = { thread, threads, barrier: (): void => {}, workChunks: undefined };
      const place =
        control === undefined || threads === 1
          ? alone
          : { ...alone, barrier: (): void => control.barrier(), workChunks: control.workChunks };
      return new ThreadView(graph, plan, segments, place);
    });
}
