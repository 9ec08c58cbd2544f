import { randomInt } from 'node:crypto';
import { readThinking, type ChatCompletionRequest } from '../api/index.js';
import { AppError } from '../base/index.js';
import type { GenerateRequest } from '../engine/index.js';
import { choiceSeed } from './choice-seed.js';
import type { ChoiceRequest } from './choice.js';
import type { CompletionCallOptions, CompletionOptions } from './completion-options.js';
import { toReasoningLimit } from './reasoning-limit.js';
import { createBreakerFinder } from './sequence-breakers.js';
import { offeredTools, toTemplateVariables } from './template-messages.js';
import { toSampling, toStopTokenIds } from './to-sampling.js';

/** A chat request, ready to be generated: one prompt, and a sequence for each choice. */
export interface PreparedChat {
  readonly promptTokens: number;
  readonly choices: readonly ChoiceRequest[];
}

/** Renders and encodes a request. Errors: `context_length_exceeded`, `invalid_value`, the template's. */
export type Prepare = (
  request: ChatCompletionRequest,
  call: CompletionCallOptions,
  signal: AbortSignal,
) => Promise<PreparedChat>;

/** Prepares requests for one model. */
export function createPreparer(options: CompletionOptions): Prepare {
  const { generator, tokenizer, dialect, vocabSize, newSeed = () => randomInt(2 ** 47) } = options;
  const findBreakers = createBreakerFinder(options);
  const isHidden = hiddenTokens(options);
  // From anywhere on, so that no other completion of this process is likely to count through the same numbers.
  let lastGroup = randomInt(2 ** 47);

  return async (request, call, signal) => {
    signal.throwIfAborted();
    const tools = offeredTools(request);
    const thinking = readThinking(request);
    const asVariables = {
      tools,
      addGenerationPrompt: true,
      enableThinking: thinking.enabled,
      templateKwargs: request.chat_template_kwargs,
    };
    const variables = toTemplateVariables(request.messages, asVariables, options.templateTokens);
    const text = await options.renderPrompt(variables, signal);
    const promptTokenIds = await options.encode(text, signal);
    const usesDry = (request.dry_multiplier ?? 0) > 0;
    const breakerIds = usesDry ? await findBreakers(request.dry_sequence_breakers, signal) : [];
    signal.throwIfAborted();

    const { reasoningTags } = dialect;
    const startsInReasoning = reasoningTags !== null && text.trimEnd().endsWith(reasoningTags.open);
    const reader: ChoiceRequest['reader'] = {
      tokenizer,
      isHidden,
      createParser: () => dialect.createParser({ startsInReasoning, tools: tools.length > 0 }),
      stops: typeof request.stop === 'string' ? [request.stop] : (request.stop ?? []),
      keepStop: request.include_stop_str_in_output === true,
      oneCall: request.parallel_tool_calls === false,
      logprobs: request.logprobs === true,
      hideReasoning: thinking.isHidden,
    };
    const numChoices = request.n ?? 1;
    const sampling = toSampling(request, vocabSize, breakerIds);
    const maxTokens = toMaxTokens(request, promptTokenIds.length, generator.contextLength);
    const constraint = toReasoningLimit(thinking, { dialect, tokenizer, startsInReasoning, maxTokens });
    const generate: Omit<GenerateRequest, 'sampling'> = {
      promptTokenIds,
      maxTokens,
      stopTokenIds: toStopTokenIds(request, vocabSize, options.stopTokenIds),
      ignoreStop: false,
      ...(constraint !== undefined && { constraint }),
      ...(request.logprobs === true && { logprobs: request.top_logprobs ?? 0 }),
      ...(call.caller !== undefined && { caller: call.caller }),
      ...(call.priority !== undefined && { priority: call.priority }),
      ...(call.deadlineMs !== undefined && { deadlineMs: call.deadlineMs }),
      ...(numChoices > 1 && { group: ++lastGroup }),
    };
    const seed = request.seed ?? newSeed();
    const choices = Array.from({ length: numChoices }, (_, index): ChoiceRequest => {
      return { index, reader, generate: { ...generate, sampling: { ...sampling, seed: choiceSeed(seed, index) } } };
    });
    return { promptTokens: promptTokenIds.length, choices };
  };
}

/** Whether an added token is for the machine only: a control token that is no tag of the dialect. Remembers each. */
function hiddenTokens({ tokenizer, dialect }: CompletionOptions): (id: number, content: string) => boolean {
  const controlTokens = new Map<number, boolean>();
  return (id, content) => {
    if (dialect.tags.includes(content)) return false;
    const known = controlTokens.get(id) ?? tokenizer.decode([id], { skipSpecialTokens: true }) === '';
    controlTokens.set(id, known);
    return known;
  };
}

/** What was asked for, by the first spelling that is there, within the room that the prompt leaves. */
function toMaxTokens(request: ChatCompletionRequest, promptTokens: number, contextLength: number): number {
  const room = contextLength - promptTokens;
  if (room < 1) {
    throw new AppError(
      'context_length_exceeded',
      `the prompt has ${promptTokens} tokens and the context holds ${contextLength}, so there is no room for an answer; shorten the conversation`,
      { n_prompt_tokens: promptTokens, n_ctx: contextLength, param: 'messages' },
    );
  }
  const { n_predict: predict = -1 } = request;
  const asked = request.max_completion_tokens ?? request.max_tokens ?? (predict === -1 ? room : predict);
  return Math.min(asked, room);
}
