import { createPlanner, hiddenTokens, roomFor } from './choices/choice-planner.js';
import type { CompletionCallOptions, CompletionOptions, ModelTemplate } from './completion-options.js';
import { createFeatureCheck } from './templates/feature-check.js';
import type { PreparedPrompt } from './prepared-prompt.js';
import { afterReasoning, toReasoningLimit } from './choices/reasoning-limit.js';
import { createAnswerHolder } from './grammars/hold-answer.js';
import type { ChatPrompt, ChatRequest } from './request.js';
import { parametersOfTool, toolNamesOf } from './templates/shown-tools.js';
import { renderConversation } from './templates/render-conversation.js';
import { withEarlier } from './prepare-text.js';

/** The rendered prompt of a conversation. */
export interface RenderedChat {
  readonly text: string;
  readonly promptTokenIds: readonly number[];
}

/** Makes prompts from conversations. */
export interface ChatPreparer {
  /** Renders and encodes a request. Errors: `context_length_exceeded`, `invalid_value`, the template's. */
  prepare(request: ChatRequest, call: CompletionCallOptions, signal: AbortSignal): Promise<PreparedPrompt>;
  /** Renders the prompt only. Errors: the template's. */
  renderRequest(request: ChatPrompt, signal: AbortSignal | undefined, caller?: string): Promise<RenderedChat>;
  /** The template. Errors: `template_missing`. */
  requireTemplate(): ModelTemplate;
}

/** Prepares conversations for one model. */
export function createChatPreparer(options: CompletionOptions): ChatPreparer {
  const { generator, tokenizer } = options;
  const plan = createPlanner(options);
  const isHidden = hiddenTokens(tokenizer, options.template?.dialect.tags ?? []);
  const checkFeatures = createFeatureCheck(options);
  const hold = createAnswerHolder(options, options.grammars);

  const requireTemplate = (): ModelTemplate => {
    if (options.template !== undefined) return options.template;
    throw options.templateMissing();
  };

  const renderRequest: ChatPreparer['renderRequest'] = async (request, signal, caller) => {
    signal?.throwIfAborted();
    const template = requireTemplate();
    await checkFeatures(request, signal);
    const { text, plainAt } = await renderConversation(request, {
      template,
      addsGenerationPrompt: true,
      signal,
      caller,
    });
    return { text, promptTokenIds: await options.encode(text, signal, plainAt) };
  };

  return {
    requireTemplate,
    renderRequest,
    async prepare(request, call, signal) {
      const { dialect } = requireTemplate();
      const render = async (part: ChatRequest): Promise<RenderedChat> => {
        const rendered = await renderRequest(part, signal, call.caller);
        return { ...rendered, promptTokenIds: withEarlier(request, rendered.promptTokenIds, options.vocabSize) };
      };
      const fits = (rendered: RenderedChat): boolean => rendered.promptTokenIds.length < generator.contextLength;
      const { text, promptTokenIds } = await dropOldest(request, render, fits);
      const { thinking, tools, withheldTools, maxTokens: asked = Infinity, logprobs, fields } = request;
      const planChoices = await plan(request, call, signal);
      const held = await hold(request, dialect.calls, signal);
      signal.throwIfAborted();

      const { reasoningTags } = dialect;
      const startsInReasoning = reasoningTags !== null && text.trimEnd().endsWith(reasoningTags.open);
      const endsAfterReasoning = reasoningTags !== null && text.trimEnd().endsWith(reasoningTags.close);
      const maxTokens = Math.min(
        asked,
        roomFor(promptTokenIds.length, generator.contextLength, fields.messages, 'conversation'),
      );
      const surroundings = { dialect, tokenizer, startsInReasoning, endsAfterReasoning, maxTokens };
      const constraint =
        held?.constraint === undefined
          ? toReasoningLimit(thinking, surroundings)
          : afterReasoning(held.constraint, thinking, surroundings);
      // A grammar applies from the first token on, so the answer has no reasoning.
      const startsInContent = constraint?.kind === 'grammar';
      const known = withheldTools ?? tools;
      const parsing = {
        startsInReasoning,
        startsInContent,
        tools: tools.length > 0,
        dropsCalls: withheldTools !== undefined,
        toolNames: toolNamesOf(known),
        parametersOf: (name: string) => parametersOfTool(known, name),
      };
      const choices = planChoices({
        promptTokenIds,
        maxTokens,
        ...(constraint !== undefined && { constraint }),
        ...(logprobs !== undefined && { logprobs }),
        firstIndex: 0,
        createParser: () => dialect.createParser(parsing),
        isHidden,
        continuesText: false,
        oneCall: request.endsWithFirstCall,
        hideReasoning: thinking.isHidden,
      });
      return { promptTokens: promptTokenIds.length, echo: '', choices, unenforced: held?.unenforced ?? [] };
    },
  };
}

/**
 * The conversation with as many of its newest turns as `fits` accepts. It begins with a message of the user; system
 * messages stay. If not even the last turn fits, only that turn remains, and the context check of the answer refuses
 * it. A longer conversation is assumed to need more tokens, so a binary search finds the cut in some ten renderings.
 */
export async function dropOldest<T>(
  request: ChatRequest,
  render: (request: ChatRequest) => Promise<T>,
  fits: (rendered: T) => boolean,
): Promise<T> {
  const whole = await render(request);
  const first = request.messages.findIndex(({ role }) => role !== 'system');
  const starts = request.messages.flatMap(({ role }, index) => (role === 'user' && index > first ? [index] : []));
  if (request.dropsOldest !== true || fits(whole) || starts.length === 0) return whole;
  let [low, high] = [0, starts.length - 1];
  let found = await render(from(request, starts[high]));
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const rendered = await render(from(request, starts[middle]));
    if (fits(rendered)) [high, found] = [middle, rendered];
    else low = middle + 1;
  }
  return found;
}

/** The request from the message at `start` on. */
function from(request: ChatRequest, start = 0): ChatRequest {
  const messages = request.messages.filter(({ role }, index) => index >= start || role === 'system');
  return { ...request, messages };
}
