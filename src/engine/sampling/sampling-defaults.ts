import { mergeSampling, type Absentable, type SamplerValues } from './sampling.js';

/** What keeps a small model from its unlikely tokens: llama.cpp's defaults (common/common.h, `common_params_sampling`). */
const truncation = { topK: 40, minP: 0.05 } as const;

/**
 * What holds where neither the request nor the model's makers say anything: the only place of these numbers. Help, `/set`
 * and the tables of the documents are made from it.
 */
export const samplingDefaults = {
  /** Requests over HTTP and gRPC: the temperature and top-p of OpenAI's reference, which clients rely on. */
  api: { temperature: 1, topP: 1, ...truncation },
  /** The command line, the REPL, the chat page and the library: llama.cpp's (common/common.h). */
  chat: { temperature: 0.8, topP: 0.95, ...truncation },
  /** Ollama's API: Ollama's (api/types.go, `DefaultOptions`), but for its min-p of 0. */
  ollama: { temperature: 0.8, topP: 0.9, repeatLastN: 64, ...truncation },
} as const satisfies Record<string, Absentable<SamplerValues>>;

/** Whose defaults hold. */
export type SamplingDefaultsName = keyof typeof samplingDefaults;

/** What makers recommend of the samplers' numbers. */
const RECOMMENDED = ['temperature', 'topP', 'topK', 'minP', 'repetitionPenalty'] as const;

/** What a model's makers recommend. */
export type RecommendedSampling = Pick<Absentable<SamplerValues>, (typeof RECOMMENDED)[number]>;

/**
 * The samplers' numbers of a request: what it says itself; then what the model's makers recommend; then the defaults. A
 * request that asks for temperature 0 gets the likeliest token, and nothing is added to what it says.
 */
export function chooseSampling(
  asked: Absentable<SamplerValues>,
  recommended: RecommendedSampling,
  defaults: SamplingDefaultsName,
): Absentable<SamplerValues> {
  if (asked.temperature === 0) return asked;
  const said = Object.fromEntries(RECOMMENDED.map((name) => [name, recommended[name]]));
  return mergeSampling(mergeSampling(samplingDefaults[defaults], said), asked);
}
