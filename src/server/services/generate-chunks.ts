import { randomInt } from 'node:crypto';
import {
  chooseSampling,
  neutralSampling,
  toCacheScope,
  type GenerateRequest,
  type TokenLogprobs,
} from '../../engine/index.js';
import type { GenerateChunkInput, IdLogprobInput } from '../../grpc/index.js';
import type { OpenModel } from '../../models/index.js';
import { grpcFinishReasons, toGrpcUsage, type parseGrpcGenerateRequest } from '../../wire/index.js';

/** The number for minus infinity: the value of the other wires. */
const LOWEST_LOGPROB = -9999;

/** The priority and deadline of the call's sequence. */
interface GenerateCall {
  readonly signal: AbortSignal;
  readonly caller: string;
  readonly deadlineMs?: number;
}

/** Continues token ids; the last chunk has the reason of the end and the usage. Errors: the engine's. */
export async function* generateChunks(
  model: OpenModel,
  asked: ReturnType<typeof parseGrpcGenerateRequest>,
  { signal, ...call }: GenerateCall,
): AsyncGenerator<GenerateChunkInput & { usage?: ReturnType<typeof toGrpcUsage> }, void> {
  const { promptTokenIds } = asked;
  let completionTokens = 0;
  let cachedTokens = 0;
  for await (const output of model.generate({ ...toGenerateRequest(model, asked), ...call }, signal)) {
    const { tokenIds, logprobs, finishReason } = output;
    completionTokens += tokenIds.length;
    cachedTokens = output.cachedTokens ?? cachedTokens;
    const chunk = { token_ids: tokenIds, ...(logprobs && { logprobs: logprobs.map(toLogprob(tokenIds)) }) };
    if (finishReason === undefined) {
      yield chunk;
      continue;
    }
    // The stop id was computed too.
    if (finishReason === 'stop') completionTokens++;
    const usage = { promptTokens: promptTokenIds.length, completionTokens, cachedTokens, reasoningTokens: 0 };
    yield { ...chunk, finish_reason: grpcFinishReasons[finishReason], usage: toGrpcUsage(usage) };
  }
}

function toGenerateRequest(
  { generation }: OpenModel,
  { promptTokenIds, maxTokens, sampling, logprobs, cacheSalt }: ReturnType<typeof parseGrpcGenerateRequest>,
): GenerateRequest {
  const { values: asked, defaults = 'api', logitBias, seed, stopTokenIds = [], ignoresModelStops = false } = sampling;
  const values = chooseSampling(asked, generation, defaults);
  return {
    promptTokenIds,
    maxTokens,
    sampling: {
      ...values,
      temperature: values.temperature ?? neutralSampling.temperature,
      logitBias,
      seed: seed ?? randomInt(2 ** 47),
    },
    stopTokenIds: [...stopTokenIds, ...(ignoresModelStops ? [] : generation.stopTokenIds)],
    ignoreStop: false,
    ...(ignoresModelStops && { mayRepeat: true }),
    ...(logprobs !== undefined && { logprobs }),
    ...(cacheSalt !== undefined && { cacheScope: toCacheScope(cacheSalt) }),
  };
}

function toLogprob(tokenIds: readonly number[]) {
  return ({ logprob, top }: TokenLogprobs, index: number): IdLogprobInput => ({
    token_id: tokenIds[index] ?? 0,
    logprob: Math.max(LOWEST_LOGPROB, logprob),
    top_logprobs: top.map((one) => ({ token_id: one.tokenId, logprob: Math.max(LOWEST_LOGPROB, one.logprob) })),
  });
}
