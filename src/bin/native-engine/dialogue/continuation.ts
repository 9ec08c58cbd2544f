import { AppError } from '../../../base/index.js';
import type { AnswerSource } from './answer.js';
import type { Model } from '../../../index.js';
import { type AnswerSettings, toGenerateFields } from '../options/settings.js';

/** A text continued as it is, as a model does without a chat template; control tokens are left out of what comes. */
export function textSource(model: Model, prompt: string, settings: AnswerSettings): AnswerSource {
  const { tokenizer, contextLength } = model;
  const { maxTokens: asked = -1 } = settings;
  return async function* (signal) {
    const promptTokenIds = tokenizer.encode(prompt);
    // -1 is no limit, as on the wire.
    const maxTokens = asked === -1 ? contextLength : asked;
    const request = { ...toGenerateFields(settings), promptTokenIds, maxTokens, caller: 'terminal' };
    const detokenizer = tokenizer.createDetokenizer();
    let completionTokens = 0;
    for await (const { tokenIds, finishReason } of model.generateOutputs(request, { signal })) {
      completionTokens += tokenIds.length;
      const text = tokenIds.flatMap((id) => detokenizer.push(id).map((delta) => shownText(model, id, delta))).join('');
      yield { text, finishReason, usage: { promptTokens: promptTokenIds.length, completionTokens } };
    }
  };
}

function shownText(
  { tokenizer }: Model,
  id: number,
  delta: { readonly text: string; readonly special?: string },
): string {
  return delta.special === undefined ? delta.text : tokenizer.decode([id], { skipSpecialTokens: true });
}

function toThinkFlag(think: boolean | undefined): string | undefined {
  return think === undefined ? undefined : think ? '--think' : '--no-think';
}

/** What was asked for that only a conversation has. */
interface Asked {
  readonly system: string | undefined;
  readonly think: boolean | undefined;
  readonly format: string | undefined;
}

/** Says why a model without a chat template cannot do what only a conversation has. Errors: `template_missing`. */
export function refuseConversation(
  { id }: Pick<Model, 'id'>,
  { system, think, format }: Asked,
  prompt: string | undefined,
): void {
  const asked =
    prompt === undefined
      ? 'a REPL'
      : system !== undefined
        ? '--system'
        : format !== undefined
          ? '--format'
          : toThinkFlag(think);
  if (asked === undefined) return;
  const other =
    prompt === undefined ? 'give a prompt, which is continued as it is, as /v1/completions does' : `leave ${asked} out`;
  throw new AppError(
    'template_missing',
    `${asked} needs a chat template, and the model ${id} has none; choose one with --template, or ${other}`,
    { model: id },
  );
}
