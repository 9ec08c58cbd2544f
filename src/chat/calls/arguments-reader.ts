import { toCallArguments } from './call-arguments.js';
import { JsonMachine } from './json-machine.js';
import type { WholeCall } from './tool-call-reader.js';

/** Reads the arguments object of a call whose name came before it. Strings are repaired (`JsonMachine`). */
export class ArgumentsReader {
  readonly #name: string;
  readonly #json = new JsonMachine();
  #text = '';
  #written = '';

  constructor(name: string) {
    this.#name = name;
  }

  /** Everything read, unchanged. */
  get text(): string {
    return this.#text;
  }

  /** The object is closed. */
  get closed(): boolean {
    return this.#json.done;
  }

  /** The call, once it is closed. */
  get call(): WholeCall | undefined {
    const argumentsText = this.closed ? toCallArguments(this.#written) : undefined;
    return argumentsText === undefined ? undefined : { name: this.#name, argumentsText };
  }

  /** Reads `text` to the end of the object, or to the first character that does not fit; returns that index. */
  read(text: string): number {
    let end = 0;
    while (end < text.length && !this.closed) {
      const written = this.#json.push(text.charAt(end));
      if (written === undefined) break;
      this.#written += written;
      end++;
    }
    this.#text += text.slice(0, end);
    return end;
  }
}
