import { toExactArguments } from '../../answers/index.js';
import type { OllamaToolCall } from '../../api/index.js';
import type { Delta } from '../../completion/index.js';

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
  add(delta: Delta): OllamaToolCall[] {
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
    return [{ id: this.#newCallId(), function: { index, name, arguments: toExactArguments(argumentsText) } }];
  }
}
