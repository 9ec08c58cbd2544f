import { AppError, isAppError } from '../../../base/index.js';
import { type ShownAnswer, type AnswerSource, chatSource, describeAnswer, streamAnswer } from './answer.js';
import { type Conversation, fitToContext, type Shortage, withoutOldest } from './conversation.js';
import type { Model } from '../../../index.js';
import type { AnswerSettings } from '../options/settings.js';
import { dim, fitScreen, type Terminal } from '../../../cli/index.js';

/** What a request calls the form of its answer. */
const FORMAT_FIELD = 'response_format';

/** A line about what we do, on standard error, faint. */
export function note(terminal: Terminal, text: string): void {
  terminal.stderr.write(`${dim(terminal, terminal.stderr, fitScreen(terminal.stderr, text))}\n`);
}

/** What happened to the oldest turns, and why: counted, or as the engine refused them. */
function noteForgotten(terminal: Terminal, dropped: number, contextLength: number, shortage?: Shortage): void {
  const turns = dropped === 1 ? 'the oldest turn' : `the ${dropped} oldest turns`;
  const why =
    shortage === undefined
      ? `the prompt was longer than the context of ${contextLength} tokens`
      : `the prompt had ${shortage.promptTokens} tokens, and ${shortage.reserve} of the context of ${contextLength} are kept for the answer`;
  note(terminal, `(forgot ${turns}: ${why})`);
}

/**
 * Answers the last turn of a conversation, printing as it goes. Oldest turns are dropped when they no longer fit, with a
 * note, and `onForgotten` gets what is left, whatever becomes of the answer. Returns the conversation as it stands after
 * the answer.
 */
export async function answerTurn(
  model: Model,
  asked: Conversation,
  settings: AnswerSettings,
  terminal: Terminal,
  signal: AbortSignal,
  onForgotten?: (left: Conversation) => void,
): Promise<{ conversation: Conversation; answer: ShownAnswer }> {
  const fit = await fitToContext(model, asked, settings.think, settings.maxTokens).catch((error: unknown) => {
    throw isAppError(error) ? inOptionWords(error, model.id, settings) : error;
  });
  let current = fit.conversation;
  if (fit.dropped > 0) {
    noteForgotten(terminal, fit.dropped, model.contextLength, fit.shortage);
    onForgotten?.(current);
  }
  for (;;) {
    try {
      const answer = await showAnswer(model, chatSource(model, current, settings), settings, terminal, signal);
      const turns = current.turns.map((turn, i) =>
        i === current.turns.length - 1 ? { ...turn, assistant: answer.content } : turn,
      );
      return { conversation: { ...current, turns }, answer };
    } catch (error) {
      const shorter =
        isAppError(error) && error.code === 'context_length_exceeded' ? withoutOldest(current) : undefined;
      if (shorter === undefined) throw isAppError(error) ? inOptionWords(error, model.id, settings) : error;
      noteForgotten(terminal, 1, model.contextLength);
      current = shorter;
      onForgotten?.(current);
    }
  }
}

/** Prints an answer as it comes, and what is to be said of it when it has ended. */
export async function showAnswer(
  { contextLength }: Pick<Model, 'contextLength'>,
  source: AnswerSource,
  settings: AnswerSettings,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ShownAnswer> {
  const answer = await streamAnswer(source, settings, terminal, signal);
  if (answer.finishReason === 'length') noteLength(terminal, answer, settings, contextLength);
  if (settings.verbose) note(terminal, `(${describeAnswer(answer, contextLength)})`);
  return answer;
}

/**
 * Renames the request field in an error to the option or command that set it: a field that the template does not use, or a format
 * that cannot be enforced.
 */
function inOptionWords(error: AppError, id: string, { think }: AnswerSettings): AppError {
  const { param } = error.details;
  if (typeof param === 'string' && param.startsWith(FORMAT_FIELD)) {
    const said = error.message.replace(FORMAT_FIELD, '--format or /json');
    return new AppError(error.code, said, error.details, { cause: error });
  }
  if (error.code !== 'unsupported_by_template') return error;
  const [lack, remedy] =
    param !== 'enable_thinking'
      ? ['leaves system messages out', 'leave --system out, or type /system without a text']
      : think === true
        ? ['knows no thinking', 'leave --think out, or type /nothink']
        : ['cannot turn thinking off', 'leave --no-think out, or type /think'];
  const message = `the chat template of ${id} ${lack}; ${remedy}, or choose another model`;
  return new AppError(error.code, message, error.details, { cause: error });
}

function noteLength(
  terminal: Terminal,
  answer: ShownAnswer,
  { maxTokens }: AnswerSettings,
  contextLength: number,
): void {
  const isItsLimit = maxTokens !== undefined && maxTokens !== -1 && answer.completionTokens >= maxTokens;
  const isFull = answer.promptTokens + answer.completionTokens >= contextLength;
  const reason = isItsLimit
    ? `--max-tokens or /set max_tokens is ${maxTokens}`
    : isFull
      ? `the context of ${contextLength} tokens is full`
      : 'it repeated itself without end';
  note(terminal, `(the answer was cut: ${reason})`);
}
