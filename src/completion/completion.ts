import { randomBytes } from 'node:crypto';
import type { ChatCompletion, ChatCompletionChunk, ChatCompletionRequest, ChatMessage } from '../api/index.js';
import { present, systemClock } from '../base/index.js';
import { endingStream } from './abortable-stream.js';
import { answerChoices, type ChoiceEnd } from './choice.js';
import { roleDelta, toChunk, toChunkDeltas, toUsage, toUsageChunk, type AnswerHead } from './chunks.js';
import type { CompletionCallOptions, CompletionOptions } from './completion-options.js';
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
  renderChat(
    messages: readonly ChatMessage[],
    options?: RenderChatOptions & Pick<CompletionCallOptions, 'signal'>,
  ): Promise<string>;
}

/** Completions of one model. Owns nothing: whoever made generator and tokenizer disposes of them. */
export function createCompletion(options: CompletionOptions): Completion {
  const { generator, clock = systemClock, admit } = options;
  const newId = options.newId ?? (() => randomBytes(12).toString('hex'));
  const newCallId = (): string => `call_${newId()}`;
  const toTokenLogprobs = createLogprobWriter(options.tokenizer);
  const { prepare, renderRequest } = createPreparer(options);

  const openAnswer = ({ modelName = options.modelId }: CompletionCallOptions): AnswerHead => ({
    id: `chatcmpl-${newId()}`,
    created: clock.unixSeconds(),
    model: modelName,
    system_fingerprint: options.systemFingerprint,
  });

  const chunks = async function* (
    request: ChatCompletionRequest,
    call: CompletionCallOptions,
    signal: AbortSignal,
  ): AsyncGenerator<ChatCompletionChunk, void> {
    const includeUsage = request.stream_options?.include_usage === true;
    using _ = admit?.(request.n ?? 1);
    const prepared = await prepare(request, call, signal);
    const head = openAnswer(call);
    const ends: ChoiceEnd[] = [];
    for (const { index } of prepared.choices) yield toChunk(head, { index, delta: roleDelta }, includeUsage);
    for await (const { index, deltas, end } of answerChoices(generator, prepared.choices, signal)) {
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
    renderChat: async (messages, { signal, ...rest } = {}) =>
      options.renderPrompt(toTemplateVariables(messages, rest, options.templateTokens), signal),
    countTokens: async (request, signal) => (await renderRequest(request, signal)).promptTokenIds.length,
    stream: (request, call = {}) => endingStream((signal) => chunks(request, call, signal), call.signal),
    async chat(request, call = {}) {
      const { signal = new AbortController().signal } = call;
      using _ = admit?.(request.n ?? 1);
      const prepared = await prepare(request, call, signal);
      const head = openAnswer(call);
      const messages = prepared.choices.map(() => new MessageBuilder());
      const ends: ChoiceEnd[] = [];
      for await (const { index, deltas, end } of answerChoices(generator, prepared.choices, signal)) {
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
