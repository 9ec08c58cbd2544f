import type { Placement, Supervisor, SupervisorSpec } from '../actor/index.js';
import { AppError } from '../base/index.js';
import type { ControlTexts } from '../chat/index.js';
import {
  engineKey,
  engineTree,
  watchEngine,
  type EngineClient,
  type EngineTreeOptions,
  type ModelMemory,
  type RestartLimits,
} from '../engine/index.js';
import { templateActorSpec, tokenizerActorSpec } from '../completion/index.js';
import type { ModelSupervisor } from './model-supervisor.js';

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
