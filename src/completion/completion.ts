import { randomBytes } from 'node:crypto';
import type { ChatCompletion, ChatCompletionChunk, ChatCompletionRequest, ChatMessage } from '../api/index.js';
import { present, systemClock } from '../base/index.js';
import { abortableStream } from './abortable-stream.js';
import { answerChoice, type ChoiceEnd, type ChoiceEvent } from './choice.js';
import { roleDelta, toChunk, toChunkDeltas, toUsage, toUsageChunk, type AnswerHead } from './chunks.js';
import type { CompletionCallOptions, CompletionOptions } from './completion-options.js';
import { createLogprobWriter } from './logprobs.js';
import { mergeStreams } from './merge-streams.js';
import { MessageBuilder } from './message-builder.js';
import { createPreparer, type PreparedChat } from './prepare.js';
import { toTemplateVariables, type RenderChatOptions } from './template-messages.js';

/** Answers chat requests with one model. Errors of both: `context_length_exceeded`, the template's, the engine's. */
export interface Completion {
  chat(request: ChatCompletionRequest, options?: CompletionCallOptions): Promise<ChatCompletion>;
  /**
   * The wire's chunks in the wire's order, made as they are pulled; those of several choices as they come. Leaving the
   * iteration cancels the sequences.
   */
  stream(request: ChatCompletionRequest, options?: CompletionCallOptions): AsyncGenerator<ChatCompletionChunk, void>;
  /** The text that the model would be given. */
  renderChat(
    messages: readonly ChatMessage[],
    options?: RenderChatOptions & Pick<CompletionCallOptions, 'signal'>,
  ): Promise<string>;
}

/** Completions of one model. Owns nothing: whoever made generator and tokenizer disposes of them. */
export function createCompletion(options: CompletionOptions): Completion {
  const { generator, clock = systemClock } = options;
  const newId = options.newId ?? (() => randomBytes(12).toString('hex'));
  const newCallId = (): string => `call_${newId()}`;
  const toTokenLogprobs = createLogprobWriter(options.tokenizer);
  const prepare = createPreparer(options);

  const openAnswer = (): AnswerHead => ({
    id: `chatcmpl-${newId()}`,
    created: clock.unixSeconds(),
    model: options.modelId,
    system_fingerprint: options.systemFingerprint,
  });

  /** All choices at once. When one fails, or the consumer leaves, no sequence is left running. */
  const answer = ({ choices }: PreparedChat, signal: AbortSignal): AsyncGenerator<ChoiceEvent, void> =>
    mergeStreams(choices.map((choice) => abortableStream((inner) => answerChoice(generator, choice, inner), signal)));

  const chunks = async function* (
    request: ChatCompletionRequest,
    call: CompletionCallOptions,
    signal: AbortSignal,
  ): AsyncGenerator<ChatCompletionChunk, void> {
    const includeUsage = request.stream_options?.include_usage === true;
    const prepared = await prepare(request, call, signal);
    const head = openAnswer();
    const ends: ChoiceEnd[] = [];
    for (const { index } of prepared.choices) yield toChunk(head, { index, delta: roleDelta }, includeUsage);
    for await (const { index, deltas, end } of answer(prepared, signal)) {
      for (const delta of deltas) {
        for (const piece of toChunkDeltas(delta, newCallId, toTokenLogprobs)) {
          yield toChunk(head, { index, ...piece }, includeUsage);
        }
      }
      if (end === undefined) continue;
      ends.push(end);
      yield toChunk(head, { index, delta: {}, finish_reason: end.finishReason }, includeUsage);
    }
    if (includeUsage) yield toUsageChunk(head, toUsage(prepared.promptTokens, ends));
  };

  return {
    renderChat: async (messages, { signal, ...rest } = {}) =>
      options.renderPrompt(toTemplateVariables(messages, rest, options.templateTokens), signal),
    stream: (request, call = {}) => abortableStream((inner) => chunks(request, call, inner), call.signal),
    async chat(request, call = {}) {
      const { signal = new AbortController().signal } = call;
      const prepared = await prepare(request, call, signal);
      const head = openAnswer();
      const messages = prepared.choices.map(() => new MessageBuilder());
      const ends: ChoiceEnd[] = [];
      for await (const { index, deltas, end } of answer(prepared, signal)) {
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
