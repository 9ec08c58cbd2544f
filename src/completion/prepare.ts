import { readJsonSources, readThinking, type ChatCompletionRequest } from '../api/index.js';
import { toPrompt } from '../chat/index.js';
import { createPlanner, hiddenTokens, NO_LIMIT, roomFor } from './choice-planner.js';
import type { ChoiceRequest } from './choice.js';
import type { CompletionCallOptions, CompletionOptions } from './completion-options.js';
import { createFeatureCheck } from './feature-check.js';
import { toReasoningLimit } from './reasoning-limit.js';
import { offeredTools, toTemplateVariables } from './template-messages.js';

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

/** The prompt that a chat request makes. */
export interface ChatPrompt {
  readonly text: string;
  readonly promptTokenIds: readonly number[];
}

/** What makes prompts of requests. */
export interface Preparer {
  readonly prepare: Prepare;
  /** The prompt alone. Errors: the template's. */
  readonly renderRequest: (request: ChatCompletionRequest, signal: AbortSignal | undefined) => Promise<ChatPrompt>;
}

/** Prepares requests for one model. */
export function createPreparer(options: CompletionOptions): Preparer {
  const { generator, tokenizer, dialect } = options;
  const plan = createPlanner(options);
  const isHidden = hiddenTokens(tokenizer, dialect.tags);
  const checkFeatures = createFeatureCheck(options);

  const renderRequest: Preparer['renderRequest'] = async (request, signal) => {
    signal?.throwIfAborted();
    const asVariables = {
      tools: offeredTools(request),
      addGenerationPrompt: true,
      enableThinking: readThinking(request).enabled,
      templateKwargs: request.chat_template_kwargs,
      sources: readJsonSources(request),
    };
    const variables = toTemplateVariables(request.messages, asVariables, options.templateTokens);
    await checkFeatures(request, signal);
    const prompt = toPrompt(await options.renderPrompt(variables, signal, request.parse_special === true));
    return { text: prompt.text, promptTokenIds: await options.encode(prompt.text, signal, prompt.plainAt) };
  };

  const prepare: Prepare = async (request, call, signal) => {
    const { text, promptTokenIds } = await renderRequest(request, signal);
    const thinking = readThinking(request);
    const planChoices = await plan(request, call, signal);
    signal.throwIfAborted();

    const { reasoningTags } = dialect;
    const startsInReasoning = reasoningTags !== null && text.trimEnd().endsWith(reasoningTags.open);
    const maxTokens = toMaxTokens(request, promptTokenIds.length, generator.contextLength);
    const constraint = toReasoningLimit(thinking, { dialect, tokenizer, startsInReasoning, maxTokens });
    const choices = planChoices({
      promptTokenIds,
      maxTokens,
      ...(constraint !== undefined && { constraint }),
      ...(request.logprobs === true && { logprobs: request.top_logprobs ?? 0 }),
      firstIndex: 0,
      createParser: () => dialect.createParser({ startsInReasoning, tools: offeredTools(request).length > 0 }),
      isHidden,
      oneCall: request.parallel_tool_calls === false,
      hideReasoning: thinking.isHidden,
    });
    return { promptTokens: promptTokenIds.length, choices };
  };
  return { prepare, renderRequest };
}

/** What was asked for, by the first spelling that is there, within the room that the prompt leaves. */
function toMaxTokens(request: ChatCompletionRequest, promptTokens: number, contextLength: number): number {
  const room = roomFor(promptTokens, contextLength, 'messages');
  const asked = request.max_completion_tokens ?? request.max_tokens ?? request.n_predict ?? NO_LIMIT;
  return asked === NO_LIMIT ? room : Math.min(asked, room);
}
