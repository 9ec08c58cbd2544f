import type { OllamaToolCall } from '../../api/index.js';
import type { CompletionDelta } from '../../completion/index.js';

/** A call whose arguments are still coming. */
interface OpenCall {
  readonly index: number;
  readonly name: string;
  argumentsText: string;
}

/** Makes whole calls of their deltas: clients of Ollama get arguments as an object, and so in one piece. */
export class CallCollector {
  readonly #newCallId: () => string;
  #open: OpenCall | undefined;

  constructor(newCallId: () => string) {
    this.#newCallId = newCallId;
  }

  /** The call that is over with this delta, if one is. */
  add(delta: CompletionDelta): OllamaToolCall[] {
    if (delta.type !== 'toolCall') return this.end();
    const { index, name, argumentsText } = delta;
    if (name === undefined) {
      if (this.#open !== undefined) this.#open.argumentsText += argumentsText;
      return [];
    }
    const ended = this.end();
    this.#open = { index, name, argumentsText };
    return ended;
  }

  /** The call that was still open, when nothing more of it comes. */
  end(): OllamaToolCall[] {
    const call = this.#open;
    this.#open = undefined;
    if (call === undefined) return [];
    const { index, name, argumentsText } = call;
    return [{ id: this.#newCallId(), function: { index, name, arguments: toArguments(argumentsText) } }];
  }
}

/** The arguments of a call as an object; text that is none, which no model's dialect gives out, is the only one. */
function toArguments(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Told as it is.
  }
  return { arguments: text };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
