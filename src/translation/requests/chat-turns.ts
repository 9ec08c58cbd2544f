// The messages of a chat completions request while they are made: what other APIs have as blocks and items.
import type { Fields } from './fields.js';

/** Between texts of one turn that a client sent apart. */
const BETWEEN_TURNS = '\n\n';

/** A part of a user's turn that is no text, as chat completions write it. */
export type MediaPart = Fields & { readonly type: string };
/** A text, or what is none. */
export type TurnPart = string | MediaPart;

/** A call of the assistant. */
export interface TurnCall {
  readonly id: string;
  readonly name: string;
  readonly argumentsText: string;
}

/** Who speaks in the turns that may be joined. */
type Role = 'system' | 'user' | 'assistant';

interface Turn {
  readonly role: Role | 'tool';
  readonly parts: TurnPart[];
  readonly calls: TurnCall[];
  reasoning: string;
  readonly callId?: string;
}

/**
 * Collects turns in their order. Templates of many models refuse a system turn that is not the first, and two turns of one
 * role in a row: system turns at the beginning are joined, later ones become turns of the user, and neighbours of one role are
 * one turn.
 */
export class ChatTurns {
  readonly #turns: Turn[] = [];
  /** Reasoning that belongs to the assistant's next turn. */
  #reasoning = '';

  /** Adds the parts of a message. */
  say(role: Role, parts: readonly TurnPart[]): void {
    const isLate = role === 'system' && this.#turns.some((turn) => turn.role !== 'system');
    const turn = this.#turnOf(isLate ? 'user' : role);
    turn.parts.push(...parts);
    if (role !== 'assistant') this.#reasoning = '';
  }

  /** Adds what the assistant thought before its next words or calls. */
  think(text: string): void {
    this.#reasoning += text;
  }

  /** Adds a call of the assistant. */
  call(call: TurnCall): void {
    this.#turnOf('assistant').calls.push(call);
  }

  /** Adds the result of a call. */
  result(callId: string, text: string): void {
    this.#reasoning = '';
    this.#turns.push({ role: 'tool', parts: [text], calls: [], reasoning: '', callId });
  }

  /** The messages. */
  toMessages(): Fields[] {
    return this.#turns.map(toMessage);
  }

  #turnOf(role: Role): Turn {
    const last = this.#turns.at(-1);
    const reasoning = role === 'assistant' ? this.#reasoning : '';
    this.#reasoning = '';
    // What is thought after a call is the thinking of a turn of its own.
    if (last?.role === role && (reasoning === '' || last.calls.length === 0)) {
      last.reasoning += reasoning;
      return last;
    }
    const turn: Turn = { role, parts: [], calls: [], reasoning };
    this.#turns.push(turn);
    return turn;
  }
}

function toMessage({ role, parts, calls, reasoning, callId }: Turn): Fields {
  if (role === 'tool') return { role, tool_call_id: callId, content: toText(parts) };
  const content = toContent(parts, role === 'assistant' ? '' : BETWEEN_TURNS);
  if (role !== 'assistant') return { role, content };
  return {
    role,
    content: content === '' && calls.length > 0 ? null : content,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, argumentsText }) => {
        return {
          id,
          type: 'function',
          function: { name, arguments: argumentsText.trim() === '' ? '{}' : argumentsText },
        };
      }),
    }),
  };
}

/** The texts among parts: the result of a call has no other. */
function toText(parts: readonly TurnPart[]): string {
  return parts.filter((part) => typeof part === 'string').join('');
}

/** Texts alone are one text: many templates read nothing else. */
function toContent(parts: readonly TurnPart[], between: string): string | Fields[] {
  const texts = parts.filter((part) => typeof part === 'string');
  if (texts.length === parts.length) return texts.join(between);
  return parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part));
}
