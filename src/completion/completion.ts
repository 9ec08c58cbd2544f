import { randomBytes } from 'node:crypto';
import type { ChatCompletion, ChatCompletionChunk, ChatCompletionRequest, ChatMessage } from '../api/index.js';
import { present, systemClock } from '../base/index.js';
import { toPrompt, type Prompt } from '../chat/index.js';
import { endingStream } from './abortable-stream.js';
import { answerChoices, type ChoiceEnd } from './choice.js';
import { roleDelta, toChunk, toChunkDeltas, toUsage, toUsageChunk, type AnswerHead } from './chunks.js';
import type { CompletionCallOptions, CompletionOptions } from './completion-options.js';
import { createFeatureCheck } from './feature-check.js';
import { createLogprobWriter } from './logprobs.js';
import { MessageBuilder } from './message-builder.js';
import { createPreparer } from './prepare.js';
import { toTemplateVariables, type RenderChatOptions } from './template-messages.js';

/** Answers chat requests with one model. Errors of both: `overloaded`, `context_length_exceeded`, the template's, the engine's. */
export interface Completion {
  chat(request: ChatCompletionRequest, options?: CompletionCallOptions): Promise<ChatCompletion>;
  /**
   * The wire's chunks in the wire's order, made as they are pulled; those of several choices as they come. The first comes
   * when the request has its places and its prompt is ready, before any token: what fails after it is not the request's
   * fault. Leaving the iteration cancels the sequences; while a chunk is awaited, that is done by the signal, if one is given.
   */
  stream(request: ChatCompletionRequest, options?: CompletionCallOptions): AsyncGenerator<ChatCompletionChunk, void>;
  /** Tokens of the prompt that `chat` would make, whatever the context holds. Errors: the template's. */
  countTokens(request: ChatCompletionRequest, signal?: AbortSignal): Promise<number>;
  /** The text that the model would be given. */
  renderChat(messages: readonly ChatMessage[], options?: RenderPromptOptions): Promise<string>;
  /** The token ids that the model would be given: those of `renderChat`, where control tokens in messages are text. */
  encodeChat(messages: readonly ChatMessage[], options?: RenderPromptOptions): Promise<readonly number[]>;
}

/** How a conversation is rendered, and how that is cancelled. */
export type RenderPromptOptions = RenderChatOptions & Pick<CompletionCallOptions, 'signal'>;

/** Completions of one model. Owns nothing: whoever made generator and tokenizer disposes of them. */
export function createCompletion(options: CompletionOptions): Completion {
  const { generator, clock = systemClock, admit } = options;
  const newId = options.newId ?? (() => randomBytes(12).toString('hex'));
  const newCallId = (): string => `call_${newId()}`;
  const toTokenLogprobs = createLogprobWriter(options.tokenizer);
  const { prepare, renderRequest } = createPreparer(options);
  const checkFeatures = createFeatureCheck(options);

  const render = async (messages: readonly ChatMessage[], rest: RenderPromptOptions = {}): Promise<Prompt> => {
    const { signal, tools = [], enableThinking, parseSpecial = false, dropUnsupported = false } = rest;
    const asked = { messages, tools, drop_unsupported: dropUnsupported };
    await checkFeatures(enableThinking === undefined ? asked : { ...asked, enable_thinking: enableThinking }, signal);
    const variables = toTemplateVariables(messages, rest, options.templateTokens);
    return toPrompt(await options.renderPrompt(variables, signal, parseSpecial));
  };

  const openAnswer = ({ modelName = options.modelId }: CompletionCallOptions): AnswerHead => ({
    id: `chatcmpl-${newId()}`,
    created: clock.unixSeconds(),
    model: modelName,
    system_fingerprint: options.systemFingerprint,
  });

  const chunks = async function* (
    request: ChatCompletionRequest,
    call: CompletionCallOptions,
    outer: AbortSignal,
  ): AsyncGenerator<ChatCompletionChunk, void> {
    const includeUsage = request.stream_options?.include_usage === true;
    using places = admit?.(request.n ?? 1, call.caller, outer);
    const { signal = outer } = places ?? {};
    const prepared = await prepare(request, call, signal);
    const head = openAnswer(call);
    const ends: ChoiceEnd[] = [];
    for (const { index } of prepared.choices) yield toChunk(head, { index, delta: roleDelta }, includeUsage);
    for await (const { index, deltas, end } of answerChoices(generator, prepared.choices, signal, () =>
      places?.begin(),
    )) {
      for (const delta of deltas) {
        for (const piece of toChunkDeltas(delta, newCallId, toTokenLogprobs)) {
          yield toChunk(head, { index, ...piece }, includeUsage);
        }
      }
      if (end === undefined) continue;
      ends.push(end);
      yield toChunk(head, { index, delta: {}, finish_reason: end.finishReason }, includeUsage);
    }
    const usage = toUsage(prepared.promptTokens, ends);
    call.onUsage?.(usage);
    if (includeUsage) yield toUsageChunk(head, usage);
  };

  return {
    renderChat: async (messages, rest) => (await render(messages, rest)).text,
    async encodeChat(messages, rest = {}) {
      const { text, plainAt } = await render(messages, rest);
      return options.encode(text, rest.signal, plainAt);
    },
    countTokens: async (request, signal) => (await renderRequest(request, signal)).promptTokenIds.length,
    stream: (request, call = {}) => endingStream((signal) => chunks(request, call, signal), call.signal),
    async chat(request, call = {}) {
      using places = admit?.(request.n ?? 1, call.caller, call.signal);
      const { signal = call.signal ?? new AbortController().signal } = places ?? {};
      const prepared = await prepare(request, call, signal);
      const head = openAnswer(call);
      const messages = prepared.choices.map(() => new MessageBuilder());
      const ends: ChoiceEnd[] = [];
      for await (const { index, deltas, end } of answerChoices(generator, prepared.choices, signal, () =>
        places?.begin(),
      )) {
        for (const delta of deltas) messages[index]?.add(delta, newCallId);
        if (end !== undefined) ends[index] = end;
      }
      return {
        ...head,
        object: 'chat.completion',
        choices: messages.map((message, index) => ({
          index,
          message: message.toMessage(),
          logprobs: request.logprobs === true ? { content: toTokenLogprobs(message.tokens), refusal: null } : null,
          finish_reason: present(ends[index], 'every choice ends').finishReason,
        })),
        usage: toUsage(prepared.promptTokens, ends),
      };
    },
  };
}
