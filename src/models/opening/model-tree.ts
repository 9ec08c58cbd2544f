import {
  createSupervisor,
  type Placement,
  type Supervisor,
  type SupervisorSpec,
  type TreeNode,
} from '../../actor/index.js';
import { AppError } from '../../base/index.js';
import type { ControlTexts } from '../../chat/index.js';
import {
  engineKey,
  engineTree,
  watchEngine,
  type EngineClient,
  type EngineTreeOptions,
  type ModelMemory,
  type RestartLimits,
} from '../../engine/index.js';
import { templateActorSpec, tokenizerActorSpec } from '../../completion/index.js';

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

/** Deaths of the actors for text: rare, and each is cheap. Templates have limits of their own. */
const TEXT_RESTARTS: RestartLimits = { intensity: 10, periodMs: 60_000 };

/** The init of the actors for text: a compiled tokenizer, and the control tokens by it and the template. */
export interface TextInit {
  readonly compiled: Uint8Array;
  /** Its tokens as grammars walk them, in shared memory. */
  readonly vocabulary: Uint8Array;
  readonly controls: ControlTexts;
}

/** The init of a model's actors. */
export interface ModelTreeOptions {
  /** The supervisor of the model, and its id there. */
  readonly models: ModelSupervisor;
  readonly modelId: string;
  readonly placement: Placement;
  readonly speculation?: boolean | undefined;
  readonly restarts?: RestartLimits | undefined;
  readonly maxWaiting?: number | undefined;
  readonly stepTimeoutMs?: number | undefined;
}

/**
 * Starts the engine's subtree and, with a tokenizer, the actors for text as one child of `models`, and connects `client` to each
 * engine that runs. Errors: those of the actors' starts.
 */
export async function startModelTree(
  memory: ModelMemory,
  client: EngineClient,
  text: TextInit | undefined,
  { models, modelId, placement, restarts, stepTimeoutMs, maxWaiting, speculation }: ModelTreeOptions,
): Promise<Supervisor> {
  const textActors = text && textTree(text, placement, restarts);
  const supervisor = await models.start(modelId, {
    strategy: 'oneForOne',
    // Each half has limits of its own; where one has given up, so has the model, and its caller may load it again.
    intensity: 0,
    periodMs: 1,
    children: [
      engineTree({ memory, client, placement, restarts, maxWaiting, speculation, ...toGrammarInit(text) }),
      ...(textActors ? [textActors] : []),
    ],
  });
  client.attach(supervisor.ref(engineKey));
  if (placement !== 'inline') watchEngine(supervisor, client, { stepTimeoutMs });
  supervisor.onEvent(({ type, id, reason }) => {
    if (type === 'restarted' && id === engineKey.id) client.attach(supervisor.ref(engineKey));
    if (type === 'escalated') client.close(gaveUp(reason?.message ?? `supervisor "${id}" gave up`));
  });
  return supervisor;
}

function textTree(
  { compiled, controls }: TextInit,
  placement: Placement,
  restarts: RestartLimits | undefined,
): SupervisorSpec {
  return {
    id: 'text',
    strategy: 'oneForOne',
    ...(restarts ?? TEXT_RESTARTS),
    children: [
      tokenizerActorSpec({ compiled, controlTexts: controls.tags }, placement),
      templateActorSpec('thread', controls),
    ],
  };
}

function gaveUp(why: string): AppError {
  return new AppError('engine_restarted', `the model died too often and is not restarted: ${why}. Load it again`);
}

/** The engine's init for answers under a grammar. */
function toGrammarInit(text: TextInit | undefined): Pick<EngineTreeOptions, 'vocabulary' | 'tokenizer'> {
  return { vocabulary: text?.vocabulary, tokenizer: text?.compiled };
}
