/**
 * The engine's part of the supervision tree, as data. The engine and the threads of its device live and die together.
 * The memory that they compute on (weights, KV cache) belongs to the supervising side.
 */

import { isLost, type ChildSpec, type Placement, type Supervisor, type SupervisorSpec } from '../actor/index.js';
import { assert, present, type AppError, type Clock } from '../base/index.js';
import { engineActorModule, engineKey, type EngineInit } from './engine-actor.js';
import { createMaskRings, maskThreadSpec } from './masks/mask-rings.js';
import type { EngineClient } from './client/engine-client.js';
import { MAX_SEQUENCES, type ModelMemory } from './model-memory.js';
import { maxOutputBytes } from './client/output-record.js';
import type { SchedulerLimits } from './scheduling/scheduler.js';
import { STEP_TIMEOUT_MS } from './client/watchdog.js';

/** Sequences that may wait to be admitted: the length of Ollama's queue, a known good bound. */
const MAX_WAITING = 512;
/** Restarts of an engine within the period: enough for a bad minute, few enough to detect a broken machine. */
const RESTARTS: RestartLimits = { intensity: 5, periodMs: 10_000 };
/** A step of the largest model on the slowest machine ends within this; then the thread is torn down. */
const SHUTDOWN_MS = 2_000;

/** Number of deaths before a supervisor gives up; see README.md of `actor`, 'Intensity and period'. */
export type RestartLimits = Pick<SupervisorSpec, 'intensity' | 'periodMs' | 'backoffMs'>;

/** The parts of one model's engine. */
export interface EngineTreeOptions {
  readonly memory: Pick<ModelMemory, 'graph' | 'device' | 'contextLength'>;
  /** Its towers, by name: their devices open in the engine's thread beside the model's. */
  readonly towers?: ReadonlyMap<string, Pick<ModelMemory, 'graph' | 'device'>> | undefined;
  /** Placement of the engine's own thread; the device chooses that of its threads. */
  readonly placement: Placement;
  readonly client: EngineClient;
  /** Sequences that may wait to be admitted. Default 512. */
  readonly maxWaiting?: number | undefined;
  /** Changes to the scheduler's limits, for measurements. */
  readonly limits?: Partial<SchedulerLimits> | undefined;
  /** Speculative decoding when one sequence runs alone. Default true. */
  readonly speculation?: boolean | undefined;
  /** The result of the vocabulary's `toBytes`: with it constraints may be grammars, and the client accepts them. */
  readonly vocabulary?: Uint8Array | undefined;
  /** The compiled tokenizer, which turns forced text into tokens. */
  readonly tokenizer?: Uint8Array | undefined;
  /** Default: 5 restarts in 10 s. */
  readonly restarts?: RestartLimits | undefined;
}

/** Limit of an engine's sequences: running and waiting. */
export function maxAdmitted(maxWaiting: number = MAX_WAITING): number {
  return MAX_SEQUENCES + maxWaiting;
}

/** The device's own threads first and the mask thread, then the engine, which opens the device in its thread. */
export function engineTree(options: EngineTreeOptions): SupervisorSpec {
  const { memory, placement, client, maxWaiting = MAX_WAITING, speculation = true, vocabulary, tokenizer } = options;
  const { graph, device, contextLength } = memory;
  const { vocabSize, hiddenSize } = graph;
  const { maxRows } = device.capacity;
  const limits = { maxRows, chunkRows: maxRows, maxSequences: MAX_SEQUENCES, maxWaiting, ...options.limits };
  const common = { restart: 'permanent', shutdownMs: SHUTDOWN_MS } as const;
  const children = device.children(common);
  const towers = Array.from(options.towers ?? [], ([name, tower]) => {
    assert(tower.graph.hiddenSize === hiddenSize, `the tower ${name} makes rows of the model's width`);
    return { name, children: tower.device.children({ ...common, prefix: `${name}-` }) };
  });
  const groups = [children, ...towers.map((tower) => tower.children)];
  const deviceSpecs = groups.flatMap(({ specs }) => specs);
  // A crash leaves partial state, such as records of a ring: the next instances begin with new ones.
  const hasMaskThread = vocabulary !== undefined && placement === 'thread';
  const renew = () => ({
    masks: hasMaskThread ? createMaskRings(vocabSize) : undefined,
    outputs: client.openRing(maxOutputBytes(hiddenSize)),
    work: client.openWork(limits.maxSequences),
  });
  let renewed: ReturnType<typeof renew> | undefined;
  const masksOf = () => present(renewed?.masks, 'prepare runs before the children start');
  const maskThread = hasMaskThread
    ? [{ ...maskThreadSpec(common, vocabulary, masksOf), startsBeside: deviceSpecs.length > 0 }]
    : [];

  const engine: ChildSpec = {
    ...common,
    id: engineKey.id,
    actor: { module: engineActorModule(), name: 'EngineActor' },
    init: (): EngineInit => {
      const { outputs, work, masks } = present(renewed, 'prepare runs before the children start');
      const sizes = { vocabSize, hiddenSize, contextLength, limits };
      const towerInits = new Map(towers.map((tower) => [tower.name, tower.children.init()]));
      return {
        device: children.init(),
        towers: towerInits,
        ...sizes,
        vocabulary,
        masks,
        tokenizer,
        speculation,
        outputs,
        work,
      };
    },
    placement,
    // All requests under way can arrive, or be cancelled, during one step.
    mailbox: 2 * maxAdmitted(maxWaiting),
    interrupt: () => groups.forEach((group) => group.interrupt()),
  };

  return {
    id: 'compute',
    strategy: 'oneForAll',
    ...(options.restarts ?? RESTARTS),
    // The intensity is for faults of the engine; deaths caused by requests have rules of their own
    // (`poison-search.ts`).
    isExplained: (error) => client.explains(error),
    prepare() {
      for (const group of groups) group.renew();
      renewed = renew();
    },
    children: [...deviceSpecs, ...maskThread, engine],
  };
}

/** When an engine without a sign of life counts as hung. */
export interface WatchOptions {
  /** Milliseconds without a computed fused op; 50 times the median step where that is more. Default 60,000; Infinity: never. */
  readonly stepTimeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Ends the engine of `supervisor` when it hangs, so that it is restarted. Only for an engine on a thread of its own: an
 * inline one would block the thread that watches.
 */
export function watchEngine(
  supervisor: Supervisor,
  client: EngineClient,
  { stepTimeoutMs = STEP_TIMEOUT_MS, clock }: WatchOptions = {},
): void {
  const kill = (reason: AppError): void => {
    try {
      supervisor.kill(engineKey.id, reason);
    } catch (error) {
      // It died by itself at the same moment.
      if (!isLost(error)) throw error;
    }
  };
  client.watch({ timeoutMs: stepTimeoutMs, kill, clock });
}
