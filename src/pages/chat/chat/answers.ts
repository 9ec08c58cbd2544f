import { addPiece, NO_ANSWER, type AnswerPiece, type PartialAnswer } from '../api/answer-pieces.js';
import { requestAnswer, toBody, type Outcome } from '../api/request-answer.js';
import type { PageClock } from '../../data/index.js';
import type { ChatSettings, TokenUsage, Turn } from '../conversation/conversation.js';
import { LIMITS } from '../conversation/limits.js';

/** One running answer. */
export interface Run {
  /** Stops the answer and keeps the received part. */
  stop(): void;
  /** Settles at the end of the answer, whatever its outcome. */
  readonly over: Promise<void>;
}

/** The inputs and callbacks of an answer. */
export interface RunOptions {
  /** The turns before the answer. */
  readonly turns: readonly Turn[];
  /** Called first, because the model may not be known yet. */
  readonly settings: () => Promise<ChatSettings>;
  readonly clock: PageClock;
  /** Called with changes of the turn, at most once a frame, and always with the last change. */
  readonly onChange: (change: Partial<Turn>) => void;
  readonly send?: typeof fetch | undefined;
}

/** Requests an answer. Hundreds of pieces arrive each second, but the shown turn changes once a frame. */
export function startAnswer({ turns, settings, clock, onChange, send }: RunOptions): Run {
  const abort = new AbortController();
  let answer: PartialAnswer = NO_ANSWER;
  let usage: TokenUsage | undefined;
  let finish: string | undefined;
  let firstMs: number | undefined;
  let lastMs = 0;
  let isFramed = false;
  let isTooLong = false;
  let isOver = false;

  const show = (): void => {
    isFramed = false;
    if (!isOver) onChange(toChange(answer));
  };

  const onPiece = (piece: AnswerPiece): void => {
    lastMs = clock.nowMs();
    if (piece.text !== '' || piece.reasoning !== '' || piece.calls.length > 0) firstMs ??= lastMs;
    answer = addPiece(answer, piece);
    usage = piece.usage ?? usage;
    finish = piece.finish ?? finish;
    if (answer.text.length + answer.reasoning.length > LIMITS.turnChars) {
      isTooLong = true;
      abort.abort();
    }
    if (isFramed) return;
    isFramed = true;
    clock.onFrame(show);
  };

  const end = (outcome: Outcome): void => {
    isOver = true;
    onChange({
      ...toChange(answer),
      ...(usage !== undefined && { usage }),
      ...rateOf(usage, firstMs, lastMs),
      finish: isTooLong
        ? 'length'
        : outcome === 'whole'
          ? (finish ?? 'stop')
          : outcome === 'stopped'
            ? outcome
            : 'failed',
      ...(typeof outcome === 'object' && { failure: outcome }),
    });
  };

  const over = settings()
    .then((chosen) => requestAnswer(toBody(turns, chosen), abort.signal, onPiece, send))
    .then(end);
  return { stop: () => abort.abort(), over };
}

function toChange({ text, reasoning, toolCalls }: PartialAnswer): Partial<Turn> {
  return { text, ...(reasoning !== '' && { reasoning }), ...(toolCalls.length > 0 && { toolCalls }) };
}

/** Tokens per second, without the first token. */
function rateOf(usage: TokenUsage | undefined, firstMs: number | undefined, lastMs: number): Partial<Turn> {
  if (usage === undefined || firstMs === undefined || usage.completionTokens < 2 || lastMs <= firstMs) return {};
  return { tokensPerSecond: ((usage.completionTokens - 1) * 1000) / (lastMs - firstMs) };
}
