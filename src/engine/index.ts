/**
 * Token ids in, token ids out: scheduler, KV cache, sampler, and the shell that makes them an actor. Deliberately
 * absent: text, JSON, sockets, wall-clock time.
 */

export { EngineClient } from './client/engine-client.js';
export { engineKey, type EngineActor } from './engine-actor.js';
export type { EngineStats } from './engine.js';
export { engineCodes } from './errors.js';
export {
  fillModelMemory,
  planModelMemory,
  type ModelMemory,
  type ModelMemoryOptions,
  type ModelPlan,
} from './model-memory.js';
export { toCacheScope } from './cache/cache-scope.js';
export { checkCaller } from './request-check.js';
export type {
  EmbedRequest,
  FinishReason,
  GenerateRequest,
  Generator,
  SequenceOutput,
  TokenLogprobs,
} from './request.js';
export { getAt, setAt, snakeName, type NamedParameter, type SamplerParameter } from './sampling/parameter.js';
export { samplerParameters } from './sampling/samplers/index.js';
export {
  chooseSampling,
  samplingDefaults,
  type RecommendedSampling,
  type SamplingDefaultsName,
} from './sampling/sampling-defaults.js';
export {
  isGroup,
  neutralSampling,
  resolveSampling,
  type Absentable,
  type SamplerValues,
  type Sampling,
} from './sampling/sampling.js';
export { engineTree, maxAdmitted, watchEngine, type EngineTreeOptions, type RestartLimits } from './supervision.js';

// Types that a loader passes on, so that higher modules need not know devices.
export type { KvFormat, PreparedDevice } from '../compute/index.js';
