import { randomInt } from 'node:crypto';
import { AppError, randomAt, randomKey } from '../../base/index.js';
import type { ChatParser } from '../../chat/index.js';
import { toCacheScope, type GenerateRequest } from '../../engine/index.js';
import type { ChoiceRequest } from './choice.js';
import type { CompletionCallOptions, CompletionOptions } from '../completion-options.js';
import type { CompletionWishes } from '../request.js';
import { toSampling, toStopTokenIds } from './to-sampling.js';

/** One prompt and the plan of its choices. */
export interface PromptPlan extends Pick<GenerateRequest, 'promptTokenIds' | 'maxTokens' | 'constraint' | 'logprobs'> {
  /** Index of its first choice in the answer. */
  readonly firstIndex: number;
  readonly createParser: () => ChatParser;
  readonly isHidden: ChoiceRequest['reader']['isHidden'];
  /** The answer continues the prompt's text. */
  readonly continuesText: boolean;
  readonly oneCall: boolean;
  readonly hideReasoning: boolean;
}

/** Plans the choices of the prompts of one request. */
export type PlanChoices = (prompt: PromptPlan) => ChoiceRequest[];

/** Plans the choices of a request. Errors: `invalid_value`. */
export type Planner = (
  request: CompletionWishes,
  call: CompletionCallOptions,
  signal: AbortSignal,
) => Promise<PlanChoices>;

/**
 * Plans for one model: each choice of a prompt becomes a sequence, and all are one group that shares the prompt's
 * computation.
 */
export function createPlanner(
  options: Pick<CompletionOptions, 'tokenizer' | 'vocabSize' | 'encode' | 'stopTokenIds' | 'recommended' | 'newSeed'>,
): Planner {
  const { tokenizer, vocabSize, recommended = {}, newSeed = () => randomInt(2 ** 47) } = options;
  const findBreakers = createBreakerFinder(options);
  // A random start, so that another completion of this process is unlikely to use the same numbers.
  let lastGroup = randomInt(2 ** 47);

  return async (request, { caller, priority, deadlineMs }, signal) => {
    const { sampling: asked, n: numChoices, stops, fields } = request;
    const usesDry = (asked.values.dry?.multiplier ?? 0) > 0;
    const breakerIds = usesDry ? await findBreakers(asked.breakers, signal) : [];
    const sampling = toSampling(asked, recommended, vocabSize, breakerIds, fields);
    const stopTokenIds = toStopTokenIds(asked, vocabSize, options.stopTokenIds, fields);
    const cacheScope = request.cacheSalt === undefined ? undefined : toCacheScope(request.cacheSalt);
    const seed = asked.seed ?? newSeed();

    return (prompt) => {
      const { promptTokenIds, maxTokens, constraint, logprobs, firstIndex } = prompt;
      const { createParser, isHidden, continuesText, oneCall, hideReasoning } = prompt;
      // Field by field: a spread object has a shape of its own, and many wait.
      const reader: ChoiceRequest['reader'] = {
        createParser,
        isHidden,
        continuesText,
        oneCall,
        hideReasoning,
        tokenizer,
        stops,
        keepStop: request.keepsStop,
        logprobs: logprobs !== undefined,
      };
      const optional = {
        ...(constraint !== undefined && { constraint }),
        ...(asked.ignoresModelStops === true && { mayRepeat: true }),
        ...(logprobs !== undefined && { logprobs }),
        ...(caller !== undefined && { caller }),
        ...(cacheScope !== undefined && { cacheScope }),
        ...(priority !== undefined && { priority }),
        ...(deadlineMs !== undefined && { deadlineMs }),
        ...(numChoices > 1 && { group: ++lastGroup }),
      };
      return Array.from({ length: numChoices }, (_, choice): ChoiceRequest => {
        const own = { ...sampling, seed: choiceSeed(seed, choice) };
        const generate = { promptTokenIds, maxTokens, sampling: own, stopTokenIds, ignoreStop: false, ...optional };
        return { index: firstIndex + choice, reader, generate };
      });
    };
  };
}

/** Whether an added token is a control token outside of `tags`. Caches the answer for each. */
export function hiddenTokens(
  tokenizer: Pick<CompletionOptions['tokenizer'], 'decode'>,
  tags: readonly string[],
): (id: number, content: string) => boolean {
  const controlTokens = new Map<number, boolean>();
  return (id, content) => {
    if (tags.includes(content)) return false;
    const known = controlTokens.get(id) ?? tokenizer.decode([id], { skipSpecialTokens: true }) === '';
    controlTokens.set(id, known);
    return known;
  };
}

/**
 * The tokens that a prompt leaves free in the context. `param`: the request's field; `what`: the part to shorten.
 * Errors: `context_length_exceeded`.
 */
export function roomFor(promptTokens: number, contextLength: number, param: string, what = param): number {
  const room = contextLength - promptTokens;
  if (room >= 1) return room;
  throw new AppError(
    'context_length_exceeded',
    `the prompt has ${promptTokens} tokens and the context holds ${contextLength}, so there is no room for an answer; shorten the ${what}`,
    { n_prompt_tokens: promptTokens, n_ctx: contextLength, param },
  );
}

/** First counter for seeds in a seed's stream: past those of tokens and of samplers' own numbers (2^40 on). */
const COUNTERS = 2 ** 41;

/**
 * The seed of a request's choice. The first choice has the request's own, as with `n: 1`. Choice i has 53 bits of that
 * seed's stream, from the numbers 2^41 + 2i and 2^41 + 2i + 1. It is not seed + i, which the next request may have.
 */
function choiceSeed(seed: number | bigint, index: number): number | bigint {
  if (index === 0) return seed;
  const key = randomKey(seed);
  const [high, low] = [randomAt(key, COUNTERS + 2 * index), randomAt(key, COUNTERS + 2 * index + 1)];
  return Math.floor(high * 2 ** 21) * 2 ** 32 + low * 2 ** 32;
}

/** Sequence breakers of a request without its own. Source: llama.cpp's `dry_sequence_breakers`. */
const DEFAULT_BREAKERS: readonly string[] = ['\n', ':', '"', '*'];
/** Strings whose tokens are cached: clients send the same few with every request. */
const MAX_REMEMBERED = 256;

/** The token ids that break sequences, for the strings of a request. */
type FindBreakers = (strings: readonly string[] | undefined, signal: AbortSignal) => Promise<readonly number[]>;

/**
 * Finds the tokens whose text contains a string, as llama.cpp does; without one, the string's own tokens. A search
 * through 151,936 tokens takes some 30 ms, once for each string.
 */
function createBreakerFinder({
  tokenizer,
  vocabSize,
  encode,
}: Pick<CompletionOptions, 'tokenizer' | 'vocabSize' | 'encode'>): FindBreakers {
  const remembered = new Map<string, readonly number[]>();

  const scan = (strings: readonly string[]): number[][] => {
    const wanted = strings.map((text) => Buffer.from(text).toString('latin1'));
    const found = wanted.map((): number[] => []);
    for (let id = 0; id < vocabSize; id++) {
      const token = Buffer.from(tokenizer.tokenBytes(id)).toString('latin1');
      wanted.forEach((bytes, i) => token.includes(bytes) && found[i]?.push(id));
    }
    return found;
  };

  return async (strings = DEFAULT_BREAKERS, signal) => {
    const fresh = strings.filter((text) => !remembered.has(text));
    if (remembered.size + fresh.length > MAX_REMEMBERED) remembered.clear();
    const missing = strings.filter((text) => !remembered.has(text));
    const found = missing.length === 0 ? [] : scan(missing);
    for (const [i, text] of missing.entries()) {
      const ids = found[i] ?? [];
      remembered.set(text, ids.length > 0 ? ids : await encode(text, signal));
    }
    return [...new Set(strings.flatMap((text) => remembered.get(text) ?? []))];
  };
}
