import { mergeSampling, type Absentable, type SamplerValues } from './sampling.js';

/** Keeps a small model from its unlikely tokens: llama.cpp's defaults (common/common.h, `common_params_sampling`). */
const truncation = { topK: 40, minP: 0.05 } as const;

/**
 * Defaults where neither the request nor the model's makers set a value: the only place of these numbers. Help, `/set`
 * and the tables of the documents are made from it.
 */
export const samplingDefaults = {
  /** Requests over HTTP and gRPC: the temperature and top-p of OpenAI's reference, which clients rely on. */
  api: { temperature: 1, topP: 1, ...truncation },
  /** The command line, the REPL, the chat page and the library: llama.cpp's (common/common.h). */
  chat: { temperature: 0.8, topP: 0.95, ...truncation },
  /** Ollama's API: Ollama's (api/types.go, `DefaultOptions`), except for its min-p of 0. */
  ollama: { temperature: 0.8, topP: 0.9, repeatLastN: 64, ...truncation },
} as const satisfies Record<string, Absentable<SamplerValues>>;

/** A set of defaults. */
export type SamplingDefaultsName = keyof typeof samplingDefaults;

/** The samplers' numbers that makers recommend. */
const RECOMMENDED = ['temperature', 'topP', 'topK', 'minP', 'repetitionPenalty'] as const;

/** The recommendations of a model's makers. */
export type RecommendedSampling = Pick<Absentable<SamplerValues>, (typeof RECOMMENDED)[number]>;

/**
 * The samplers' numbers of a request: its own values, then the recommendations of the model's makers, then the
 * defaults. A request with temperature 0 gets the likeliest token, and only its own values apply.
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
