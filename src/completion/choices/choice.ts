import { setMaxListeners } from 'node:events';
import { abortableStream } from '../abortable-stream.js';
import { AnswerReader, type AnswerDelta, type AnswerReaderOptions } from './answer-reader.js';
import type { ChatParser } from '../../chat/index.js';
import type { GenerateRequest, Generator } from '../../engine/index.js';
import { mergeStreams } from './merge-streams.js';

/** Why a choice ended. `length` outranks `tool_calls`, which needs a clean stop and a complete call. */
export type ChoiceFinish = 'stop' | 'length' | 'tool_calls';

/** How one choice ended, and what it took. */
export interface ChoiceEnd {
  readonly finishReason: ChoiceFinish;
  /** Tokens of the prompt that need not be computed for it. */
  readonly cachedTokens: number;
  readonly completionTokens: number;
  /** Of these, the ones of reasoning. */
  readonly reasoningTokens: number;
}

/** More of a choice, what one output of the engine brought together; the last event has `end`. */
export interface ChoiceEvent {
  readonly index: number;
  readonly deltas: readonly AnswerDelta[];
  readonly end?: ChoiceEnd;
}

/** One sequence to be generated, and how its text is read. */
export interface ChoiceRequest {
  readonly index: number;
  readonly generate: GenerateRequest;
  readonly reader: Omit<AnswerReaderOptions, 'parser'> & { readonly createParser: () => ChatParser };
}

/** Whoever else listens to the signal of a call: Node's own limit. */
const OTHER_LISTENERS = 10;

/** All choices at once; `onBegin` hears of the first output of each. When one fails, or the consumer leaves, no sequence is left running. */
export function answerChoices(
  generator: Generator,
  choices: readonly ChoiceRequest[],
  signal: AbortSignal,
  onBegin?: () => void,
): AsyncGenerator<ChoiceEvent, void> {
  const [only] = choices;
  // Whoever reads it cannot leave while it waits, but by the signal.
  if (choices.length === 1 && only !== undefined) return answerChoice(generator, only, signal, onBegin);
  // Each listens, and Node takes more than ten listeners for a leak.
  setMaxListeners(choices.length + OTHER_LISTENERS, signal);
  return mergeStreams(
    choices.map((choice) => abortableStream((inner) => answerChoice(generator, choice, inner, onBegin), signal)),
  );
}

/** Generates one choice and reads it. An end before the engine's own cancels the sequence. */
async function* answerChoice(
  generator: Generator,
  { index, generate, reader: { createParser, ...options } }: ChoiceRequest,
  signal: AbortSignal,
  onBegin?: () => void,
): AsyncGenerator<ChoiceEvent, void> {
  // Made when the first token comes, since most of a crowd waits for that.
  let opened: AnswerReader | undefined;
  const open = (): AnswerReader => (opened ??= new AnswerReader({ ...options, parser: createParser() }));
  let ending: 'stop' | 'length' | undefined;
  let endedByConstraint = false;
  let cachedTokens = 0;
  // Left before it began: nobody tells the generator of an abort that was.
  signal.throwIfAborted();
  for await (const output of generator.generate(generate, signal)) {
    signal.throwIfAborted();
    if (opened === undefined) onBegin?.();
    ending = output.finishReason;
    endedByConstraint = output.endedByConstraint === true;
    cachedTokens += output.cachedTokens ?? 0;
    const reader = open();
    const deltas = reader.push(output);
    if (deltas.length > 0) yield { index, deltas };
    if (reader.ended || ending !== undefined) break;
  }
  // A sequence cut short by an abort may end without an output that says so.
  signal.throwIfAborted();
  const reader = open();
  // A stop id was computed and sampled; the end of a constraint is no token.
  const stopIds = ending === 'stop' && !endedByConstraint && !reader.ended ? 1 : 0;
  const deltas = reader.end();
  const isCut = ending === 'length' && !reader.ended;
  yield {
    index,
    deltas,
    end: {
      finishReason: isCut ? 'length' : reader.completeCalls > 0 ? 'tool_calls' : 'stop',
      cachedTokens,
      completionTokens: reader.tokens + stopIds,
      reasoningTokens: reader.reasoningTokens,
    },
  };
}
