import { createSupervisor, type Supervisor, type SupervisorSpec, type TreeNode } from '../actor/index.js';

/** The supervisor of an engine: each loaded model is a child of it. */
export interface ModelSupervisor extends AsyncDisposable {
  /**
   * Starts the actors of the model `modelId` as one more child. Stopping the result removes the child again. Errors: those of the
   * actors' starts; `actor_down` after this was disposed of.
   */
  start(modelId: string, spec: Omit<SupervisorSpec, 'id' | 'restart'>): Promise<Supervisor>;
  /** The live tree. */
  tree(): TreeNode;
}

/**
 * Starts a supervisor without models. A model that has given up is shown until the pool stops it, and is never started again
 * here: its next call loads it anew, memory first.
 */
export async function createModelSupervisor(): Promise<ModelSupervisor> {
  const limits = { strategy: 'oneForOne', intensity: 0, periodMs: 1 } as const;
  const root = await createSupervisor({ id: 'engine', ...limits, children: [] });
  const starting = new Set<string>();
  return {
    async start(modelId, spec) {
      const taken = new Set([...root.tree().children.map(({ id }) => id), ...starting]);
      const id = freeId(taken, `model:${modelId}`);
      starting.add(id);
      try {
        return await root.startChild({ ...spec, id, restart: 'temporary' });
      } finally {
        starting.delete(id);
      }
    },
    tree: () => root.tree(),
    [Symbol.asyncDispose]: () => root.stop(),
  };
}

/** Ids are unique in a tree; two artifacts in different directories may have the same. */
function freeId(taken: ReadonlySet<string>, id: string): string {
  let free = id;
  for (let count = 2; taken.has(free); count++) free = `${id}#${count}`;
  return free;
}
