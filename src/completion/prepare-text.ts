import { AppError } from '../base/index.js';
import { dialects } from '../chat/index.js';
import { createPlanner, hiddenTokens, roomFor } from './choices/choice-planner.js';
import type { CompletionCallOptions, CompletionOptions } from './completion-options.js';
import { createAnswerHolder } from './grammars/hold-answer.js';
import type { PreparedPrompt } from './prepared-prompt.js';
import type { CompletionWishes, TextRequest } from './request.js';
import { checkVocabularyId } from './choices/to-sampling.js';

/** Makes sequences from prompts without a template. */
export interface TextPreparer {
  /** Errors: `context_length_exceeded`, `invalid_value`, `text_too_long`. */
  prepare(request: TextRequest, call: CompletionCallOptions, signal: AbortSignal): Promise<PreparedPrompt[]>;
}

/** Prepares prompts for one model; `encodeText` adds the tokenizer's special tokens around every text. */
export function createTextPreparer(options: CompletionOptions): TextPreparer {
  const { generator, tokenizer } = options;
  const plan = createPlanner({ ...options, encode: options.encodeText });
  const isHidden = hiddenTokens(tokenizer, []);
  const hold = createAnswerHolder(options, options.grammars);
  return {
    async prepare(request, call, signal) {
      const planChoices = await plan(request, call, signal);
      const held = await hold(request, null, signal);
      const plain = request.readsControlTokensAsText ? 'everywhere' : undefined;
      const { n, echo, logprobs, maxTokens: asked = Infinity, fields } = request;
      return Promise.all(
        request.prompts.map(async (prompt, position) => {
          const ids = typeof prompt === 'string' ? await options.encodeText(prompt, signal, plain) : prompt;
          const promptTokenIds = withEarlier(request, ids, options.vocabSize);
          checkPrompt(fields.prompt, promptTokenIds, options.vocabSize);
          const room = roomFor(promptTokenIds.length, generator.contextLength, fields.prompt);
          const choices = planChoices({
            promptTokenIds,
            maxTokens: Math.min(asked, room),
            ...(held !== undefined && { constraint: held.constraint }),
            ...(logprobs !== undefined && { logprobs }),
            firstIndex: position * n,
            createParser: dialects.plain.createParser,
            isHidden,
            continuesText: true,
            oneCall: false,
            hideReasoning: false,
          });
          const text = typeof prompt === 'string' ? prompt : tokenizer.decode(prompt);
          return {
            echo: echo ? text : '',
            promptTokens: promptTokenIds.length,
            choices,
            unenforced: held?.unenforced ?? [],
          };
        }),
      );
    },
  };
}

/** The ids of a prompt after those of an earlier answer, if the request continues one. Errors: `invalid_value`. */
export function withEarlier(
  { earlierTokenIds = [], fields }: CompletionWishes,
  promptTokenIds: readonly number[],
  vocabSize: number,
): readonly number[] {
  if (earlierTokenIds.length === 0) return promptTokenIds;
  for (const id of earlierTokenIds) checkVocabularyId(fields.earlier ?? 'earlierTokenIds', id, vocabSize);
  return [...earlierTokenIds, ...promptTokenIds];
}

/** Errors: `invalid_value`. */
function checkPrompt(param: string, tokenIds: readonly number[], vocabSize: number): void {
  if (tokenIds.length === 0) {
    throw new AppError('invalid_value', `${param} is empty; one token at least is needed`, { param });
  }
  for (const id of tokenIds) checkVocabularyId(param, id, vocabSize);
}
