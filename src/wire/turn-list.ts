import { MAX_MESSAGES, MAX_TOOL_CALLS } from '../api/index.js';
import { AppError, present } from '../base/index.js';
import { BILLING_LINE, withoutClientLines } from './client-lines.js';
import { messageText, textParts, type FieldNames, type Message, type MessageCall } from '../completion/index.js';

/** A turn that may still get calls. */
type Draft = Omit<Message, 'calls'> & { readonly calls: MessageCall[] };

/** The turns of a conversation whose body is not a list of them, each with its path in the body. */
export class TurnList {
  readonly #messages: Draft[] = [];
  readonly #paths: string[] = [];
  readonly #callPaths: (string | undefined)[] = [];
  /** Names of its parts that were left out. */
  readonly ignored = new Set<string>();

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** The last turn, if it is the assistant's: its calls may follow. */
  get isAssistants(): boolean {
    return this.#messages.at(-1)?.role === 'assistant';
  }

  /** Adds a turn. `path`: its path in the body. Errors: `invalid_value` past the limit of chat completions. */
  add(message: Omit<Message, 'calls'>, path: string): void {
    if (this.#messages.length === MAX_MESSAGES) throw tooMany(path, MAX_MESSAGES, 'turns');
    this.#messages.push({ ...message, calls: [] });
    this.#paths.push(path);
    this.#callPaths.push(undefined);
  }

  /**
   * Adds a system message without the lines that clients address to their own servers; adds nothing if no other text
   * remains. Errors: as `add`.
   */
  addSystem(text: string, path: string, name?: string): void {
    const kept = this.#withoutClientLines(text);
    if (kept !== '' || text === '')
      this.add({ role: 'system', content: textParts(kept), ...(name !== undefined && { name }) }, path);
  }

  /** Adds a turn with its calls. `path`: its path in the body. Errors: as `add`. */
  addTurn({ calls = [], ...turn }: Message, path: string): void {
    if (turn.role === 'system') return this.addSystem(messageText(turn), path, turn.name);
    this.add(turn, path);
    for (const call of calls) this.addCall(call, `${path}.tool_calls`);
  }

  /** Adds a system message of several texts; an empty one is none. Errors: as `add`. */
  addSystemBlocks(texts: readonly string[], between: string, path: string): void {
    const blocks = texts.flatMap((text) => {
      const kept = this.#withoutClientLines(text);
      return kept === '' && text !== '' ? [] : [kept];
    });
    const text = blocks.join(between);
    if (text !== '') this.add({ role: 'system', content: textParts(text) }, path);
  }

  /** Adds a call to the last turn, which is the assistant's. `path`: the path of the call. Errors: as `add`. */
  addCall(call: MessageCall, path: string): void {
    const { calls } = present(this.#messages.at(-1), 'a call is of a turn');
    if (calls.length === MAX_TOOL_CALLS) throw tooMany(path, MAX_TOOL_CALLS, 'calls of one turn');
    calls.push(call);
    this.#callPaths[this.#callPaths.length - 1] ??= path;
  }

  #withoutClientLines(text: string): string {
    const kept = withoutClientLines(text);
    if (kept !== text) this.ignored.add(BILLING_LINE);
    return kept;
  }

  /** Names of turns and their calls in errors: those of a turn by the first. */
  names(): Pick<FieldNames, 'message' | 'calls'> {
    const [paths, callPaths] = [this.#paths, this.#callPaths];
    const message = (index: number): string => paths[index] ?? '';
    return { message, calls: (index) => callPaths[index] ?? message(index) };
  }
}

function tooMany(param: string, limit: number, what: string): AppError {
  return new AppError('invalid_value', `${param} is one too many: a conversation has at most ${limit} ${what}`, {
    param,
  });
}
