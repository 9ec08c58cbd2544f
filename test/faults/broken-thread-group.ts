// A tiny model's engine on real threads, with kernels that fail at a token, and crowds that ask for it.

import { createSupervisor, type ChildSpec, type SupervisionEvent, type Supervisor } from '../../src/actor/index.js';
import { AppError, type Clock } from '../../src/base/index.js';
import {
  EngineClient,
  engineKey,
  engineTree,
  watchEngine,
  type GenerateRequest,
  type RestartLimits,
} from '../../src/engine/index.js';
import { createTinyModel, toDeviceMemory, type TinyModel } from '../support/tiny-model.js';
import type { Fault } from './fixtures/broken-kernels.js';

// Wide enough that a prompt is shared by the thread group.
const CONFIG = { hidden_size: 256, intermediate_size: 512, max_position_embeddings: 512 };
const module = new URL('./fixtures/broken-kernels.js', import.meta.url);

/** Tokens that no answer has: poison, where a prompt has one. */
export const POISON = [190, 191, 192, 193, 194, 195, 196];

/** Weights and memory for a thread group of so many. */
export function createModel(threads: number): Promise<TinyModel> {
  const capacity = { threads, maxRows: 128, maxSequences: 64, kvBlocks: 256 };
  return createTinyModel({ config: CONFIG, capacity });
}

/** A fault, and how often it happens; without a number as often as its token comes. */
export type CountedFault = Fault & { readonly times?: number };

/** How a thread group is broken, and how it is watched. */
export interface BrokenThreadGroupOptions {
  readonly threads: number;
  readonly faults?: readonly CountedFault[];
  /** Whose kernels have the faults. Default: all threads'. */
  readonly victim?: string;
  readonly stepTimeoutMs?: number;
  readonly clock?: Clock;
  readonly restarts?: RestartLimits;
}

/** A running thread group. Disposing of it ends its threads. */
export interface BrokenThreadGroup extends AsyncDisposable {
  readonly client: EngineClient;
  readonly supervisor: Supervisor;
  /** The deaths so far: who died of what. */
  readonly deaths: { readonly id: string; readonly code: string }[];
}

/** Starts one on the memory of `model`: one at a time. */
export async function startBrokenThreadGroup(
  model: TinyModel,
  options: BrokenThreadGroupOptions,
): Promise<BrokenThreadGroup> {
  const { threads, faults = [], victim, stepTimeoutMs, clock, restarts } = options;
  const { contextLength, vocabSize } = model.config;
  const left = new Int32Array(new SharedArrayBuffer(4 * Math.max(1, faults.length)));
  faults.forEach(({ times = 1_000_000 }, index) => (left[index] = times));
  const client = new EngineClient({ contextLength, vocabSize });
  const memory = { ...model, device: toDeviceMemory(model, threads), contextLength };
  const tree = engineTree({ memory, placement: 'thread', client, restarts });
  const breakChild = (child: ChildSpec): ChildSpec => {
    if (victim !== undefined && child.id !== victim) return child;
    const name = child.id === engineKey.id ? 'BrokenEngine' : 'BrokenComputeThread';
    const init = child.init as () => object;
    return { ...child, actor: { module, name }, init: () => ({ ...init(), faults, left }) };
  };
  const children = (tree.children as readonly ChildSpec[]).map(breakChild);
  const deaths: { id: string; code: string }[] = [];
  const attach = (): void => client.attach(supervisor.ref(engineKey));
  const supervisor = await createSupervisor({ ...tree, children }, ({ type, id, reason }: SupervisionEvent) => {
    if (type === 'crashed') deaths.push({ id, code: reason?.code ?? '' });
    if (type === 'escalated') client.close(new AppError('engine_restarted', reason?.message ?? ''));
    if (type === 'restarted' && id === engineKey.id) attach();
  });
  attach();
  watchEngine(supervisor, client, { stepTimeoutMs, clock });
  return { client, supervisor, deaths, [Symbol.asyncDispose]: () => supervisor.stop() };
}

/** The request of the `index`-th of a crowd; `poison` is a token of its prompt. */
export function requestOf(index: number, poison?: number): GenerateRequest {
  const prompt = Array.from({ length: 20 + (index % 13) }, (_, i) => (i * 13 + index * 7) % 150);
  return {
    promptTokenIds: poison === undefined ? prompt : [...prompt.slice(0, 9), poison, ...prompt.slice(9)],
    maxTokens: 12,
    sampling: { temperature: 1, topP: 0.95, seed: index, logitBias: POISON.map((id) => [id, -100] as const) },
    stopTokenIds: [],
    ignoreStop: true,
  };
}

/** Its tokens, or the code of what it failed with. */
export async function outcomeOf(client: EngineClient, request: GenerateRequest): Promise<number[] | string> {
  const tokens: number[] = [];
  try {
    for await (const { tokenIds } of client.generate(request)) tokens.push(...tokenIds);
    return tokens;
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

/** All at once. */
export function outcomesOf(client: EngineClient, requests: readonly GenerateRequest[]): Promise<(number[] | string)[]> {
  return Promise.all(requests.map((request) => outcomeOf(client, request)));
}
