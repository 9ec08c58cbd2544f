import { Type } from '../../../schema/index.js';

const strict = { additionalProperties: false };
const rate = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });
const runs = Type.Array(Type.Number());

/** `bench --json`. */
export const bench = Type.Object(
  {
    model: Type.String(),
    quant: Type.String(),
    prefillTokensPerSecond: Type.Number(),
    decodeTokensPerSecond: rate('one token after the other; null: too few came'),
    streamTokensPerSecond: rate('as stream delivers them; null without a chat template'),
    loadMs: Type.Number(),
    threads: Type.Integer(),
    kernel: Type.String(),
    kernelNotes: Type.Array(Type.String()),
    placement: Type.String(),
    kvCache: Type.String(),
    node: Type.String(),
    promptTokens: Type.Integer(),
    genTokens: Type.Integer(),
    prefillRuns: runs,
    decodeRuns: runs,
    speculativeTokensPerSecond: rate('with prompt-lookup speculation'),
    speculativeStreamTokensPerSecond: rate('the same, of answers to questions'),
    speculationAcceptanceRate: rate('of the draft tokens, the share that was right'),
    speculativeRuns: runs,
  },
  strict,
);

const spread = Type.Union([Type.Object({ p50: Type.Number(), p95: Type.Number() }, strict), Type.Null()]);

/** `bench --concurrency --json`. */
export const benchLoad = Type.Object(
  {
    model: Type.String(),
    quant: Type.String(),
    kernel: Type.String(),
    threads: Type.Integer(),
    promptTokens: Type.Integer(),
    genTokens: Type.Integer(),
    levels: Type.Array(
      Type.Object(
        {
          concurrency: Type.Integer({ minimum: 1, description: 'callers at once' }),
          seconds: Type.Number(),
          requests: Type.Integer({ minimum: 0, description: 'that ended in time' }),
          tokensPerSecond: Type.Number({ description: 'generated, by all callers together' }),
          ttftMs: spread,
          itlMs: spread,
        },
        strict,
      ),
    ),
  },
  strict,
);
