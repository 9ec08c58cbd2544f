import type { AnswerPiece } from '../../answers/index.js';
import { AppError } from '../../base/index.js';
import type { CallDelta } from './chat-deltas.js';

/** Characters of arguments that wait for the call before them: as many as one event may have. */
const MAX_HELD = 16 * 1024 * 1024;
/** Calls of one answer: far more than any model makes. */
const MAX_CALLS = 1_024;

/** A call of an answer. */
interface Call {
  readonly key: number;
  id: string | undefined;
  name: string | undefined;
  /** Of its arguments, what was not handed on. */
  held: string;
  /** All of its arguments, to see whether they are whole. */
  written: string;
  step: 'waits' | 'open' | 'closed';
}

/**
 * Brings the pieces of parallel calls into the order that other APIs have: one call after the other. A call that begins while
 * the arguments of the one before it are not whole waits until they are.
 */
export class CallOrder {
  readonly #calls: Call[] = [];
  /** Words that wait for the end of the open call. */
  readonly #late: AnswerPiece[] = [];
  #held = 0;

  /** Takes a piece of a call. Errors: `upstream_error` past the limits. */
  add(delta: CallDelta): AnswerPiece[] {
    const call = this.#find(delta);
    call.id ??= delta.id;
    call.name ??= delta.name;
    if (call.step === 'closed') return [];
    call.held += delta.argumentsText;
    call.written += delta.argumentsText;
    this.#held += delta.argumentsText.length;
    if (this.#held > MAX_HELD) throw tooLarge();
    return this.#advance();
  }

  /** Takes what is no call: it waits while the arguments of the open call are not whole. Errors: as `add`. */
  say(pieces: readonly AnswerPiece[]): readonly AnswerPiece[] {
    if (pieces.length === 0) return pieces;
    const open = this.#calls.find(({ step }) => step === 'open');
    this.#late.push(...pieces);
    if (open !== undefined && !isWhole(open.written)) {
      this.#held += pieces.reduce((sum, piece) => sum + ('text' in piece ? piece.text.length : 0), 0);
      if (this.#held > MAX_HELD) throw tooLarge();
      return [];
    }
    if (open !== undefined) open.step = 'closed';
    return this.#late.splice(0);
  }

  /** The answer is over: what was held back, and how many calls there were. */
  end(): { readonly pieces: AnswerPiece[]; readonly count: number } {
    const pieces = this.#calls.flatMap((call) => {
      // A call that was never named is none.
      if (call.name === undefined) return [];
      const told = this.#take(call);
      if (call.step !== 'closed' && call.written.trim() === '') told.push({ type: 'toolCall', argumentsText: '{}' });
      call.step = 'closed';
      return told;
    });
    pieces.push(...this.#late.splice(0));
    return { pieces, count: this.#calls.filter(({ name }) => name !== undefined).length };
  }

  /** The call that a piece is of. Some servers give all calls one index, or none: then the id tells them apart. */
  #find({ index, id, name }: CallDelta): Call {
    const known = index === undefined ? this.#calls.at(-1) : this.#calls.findLast(({ key }) => key === index);
    const isOther = id !== undefined && known?.id !== undefined && id !== known.id;
    const begins =
      known === undefined ||
      isOther ||
      (index === undefined &&
        id === undefined &&
        name !== undefined &&
        known.name !== undefined &&
        isWhole(known.written));
    if (!begins) return known;
    if (this.#calls.length === MAX_CALLS) throw tooLarge();
    const call: Call = {
      key: index ?? this.#calls.length,
      id: undefined,
      name: undefined,
      held: '',
      written: '',
      step: 'waits',
    };
    this.#calls.push(call);
    return call;
  }

  /** What may be handed on now. */
  #advance(): AnswerPiece[] {
    const pieces: AnswerPiece[] = [];
    for (const [at, call] of this.#calls.entries()) {
      if (call.step === 'closed') continue;
      if (call.name === undefined) break;
      pieces.push(...this.#take(call));
      if (at + 1 === this.#calls.length || !isWhole(call.written)) break;
      call.step = 'closed';
    }
    return pieces;
  }

  /** The pieces of a call that were not handed on. */
  #take(call: Call): AnswerPiece[] {
    const { held, name, id, step } = call;
    if (step === 'closed' || name === undefined) return [];
    call.held = '';
    this.#held -= held.length;
    if (step === 'open') return held === '' ? [] : [{ type: 'toolCall', argumentsText: held }];
    call.step = 'open';
    return [{ type: 'toolCall', name, argumentsText: held, ...(id !== undefined && { id }) }];
  }
}

/** Whether arguments are a whole JSON text. */
function isWhole(text: string): boolean {
  const end = text.trimEnd();
  if (!end.endsWith('}')) return false;
  try {
    JSON.parse(end);
    return true;
  } catch {
    return false;
  }
}

function tooLarge(): AppError {
  return new AppError(
    'upstream_error',
    'the runtime answers with more tool calls than the gateway keeps; ask for fewer',
    {
      limit: MAX_CALLS,
    },
  );
}
