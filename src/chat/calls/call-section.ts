import { MAX_TRIMMED_NEWLINES, MAX_WORD_LENGTH } from '../limits.js';
import type { CallStep, CallSyntax } from './call-syntax.js';
import { ElementsReader } from './elements-reader.js';
import { ToolCallReader, type BareCall, type WholeCall } from './tool-call-reader.js';
import { toCallArguments } from './call-arguments.js';
import { JsonMachine } from './json-machine.js';

/** Characters that end a word: white space, brackets, quotes, and the characters of tags. */
const WORD = /^[^\s[\]{}<>()"'`|｜,;=]+/;

/** State of a section of calls: it goes on, it has ended, or it turned out to be something else. */
export type SectionState = 'open' | 'done' | 'failed';

type ObjectStep = Extract<CallStep, { kind: 'call' | 'arguments' | 'elements' }>;

interface OpenObject {
  readonly reader: ToolCallReader | ArgumentsReader | ElementsReader;
  readonly next: string;
}

/** A section's knowledge of the tools. */
export interface SectionTools {
  /** The JSON Schema of a tool's arguments by its name; absent without schemas. */
  readonly parametersOf?: ((name: string) => unknown) | undefined;
  /** No tag announces the calls, so they must look like calls of the request's tools. */
  readonly bare?: BareCall | undefined;
}

/**
 * Reads consecutive calls in one syntax, from one position of an answer. Gives out each call when it is whole. Of the
 * text after the last call it drops only closing tags.
 */
export class CallSection {
  readonly #syntax: CallSyntax;
  readonly #tools: SectionTools;
  #place: string;
  #state: SectionState = 'open';
  /** Text since the last whole call, up to `#held` and the object that is being read. */
  #read = '';
  /** A possible beginning of a text of the syntax, or of a word. */
  #held = '';
  #object: OpenObject | undefined;
  #name = '';
  #calls: WholeCall[] = [];
  #hasCalls = false;

  constructor(syntax: CallSyntax, place: string, tools: SectionTools) {
    this.#syntax = syntax;
    this.#place = place;
    this.#tools = tools;
  }

  /** Whether more may come. */
  get state(): SectionState {
    return this.#state;
  }

  /** Text that is not part of a whole call yet. */
  get text(): string {
    return this.#read + (this.#object?.reader.text ?? '') + this.#held;
  }

  /** Whether there were whole calls. */
  get hasCalls(): boolean {
    return this.#hasCalls;
  }

  /** The calls that became whole since the last `takeCalls`. */
  takeCalls(): readonly WholeCall[] {
    const calls = this.#calls;
    this.#calls = [];
    return calls;
  }

  /** Reads `text`. When the section ends it returns the rest, including held text; the rest is not part of `this.text`. */
  read(text: string): string {
    let rest = text;
    while (rest !== '' && this.#state === 'open') {
      rest = this.#object === undefined ? this.#readPlace(rest) : this.#readObject(this.#object, rest);
    }
    return rest;
  }

  /** The answer has ended. A call that lacks only its last brace is whole. */
  end(): void {
    const call = this.#held === '' ? this.#object?.reader.call : undefined;
    if (call !== undefined && this.#object !== undefined) this.#give(call, this.#object.next);
    if (this.#state === 'open') this.#state = 'failed';
  }

  #readPlace(text: string): string {
    const all = this.#takeHeld() + text;
    const next = all.trimStart();
    const blank = all.length - next.length;
    if (blank > MAX_TRIMMED_NEWLINES) return this.#fail(all);
    const steps = this.#syntax.places[this.#place] ?? [];
    let mayGoOn = next === '';
    for (const step of steps) {
      if (step.kind === 'text') {
        if (next.startsWith(step.text)) return this.#pass(all, blank + step.text.length, step);
        mayGoOn ||= step.text.startsWith(next);
      } else if (step.kind === 'name' || step.kind === 'word') {
        const [word = ''] = WORD.exec(next) ?? [];
        if (word.length > MAX_WORD_LENGTH) return this.#fail(all);
        if (word !== '' && word.length < next.length) {
          if (step.kind === 'name') this.#name = word;
          return this.#pass(all, blank + word.length, step);
        }
        mayGoOn ||= word !== '';
      } else if (next.startsWith(step.kind === 'elements' ? '<' : '{')) {
        this.#read += all.slice(0, blank);
        this.#object = { reader: this.#toReader(step), next: step.next };
        return next;
      }
    }
    if (!mayGoOn) return this.#fail(all);
    this.#held = all;
    return '';
  }

  #toReader(step: ObjectStep): OpenObject['reader'] {
    switch (step.kind) {
      case 'call':
        return new ToolCallReader(this.#tools.bare, step.nameKey);
      case 'arguments':
        return new ArgumentsReader(this.#name);
      case 'elements':
        return new ElementsReader(this.#name, step.syntax, this.#tools.parametersOf?.(this.#name));
    }
  }

  #readObject({ reader, next: place }: OpenObject, text: string): string {
    const held = this.#takeHeld();
    const end = held === '' ? reader.read(text) : 0;
    const rest = held + text.slice(end);
    if (reader.closed) {
      if (reader.call === undefined) return this.#fail(rest);
      this.#give(reader.call, place);
      return rest;
    }
    if (rest === '') return '';
    // The object may lack its last brace. This check runs before the reading of a text behind the call.
    const { call } = reader;
    if (call === undefined) return this.#fail(reader instanceof ElementsReader ? reader.takeHeld() + rest : rest);
    const closing = textsOf(this.#syntax.places[place] ?? []);
    if (closing.some((one) => rest.startsWith(one))) {
      this.#give(call, place);
      return rest;
    }
    if (!closing.some((one) => one.startsWith(rest))) return this.#fail(rest);
    this.#held = rest;
    return '';
  }

  #pass(all: string, end: number, step: CallStep): string {
    this.#read += all.slice(0, end);
    if (this.#hasCalls && step.kind === 'text' && step.closes === true) this.#read = '';
    this.#goTo(step.next);
    return all.slice(end);
  }

  #give(call: WholeCall, next: string): void {
    this.#calls.push(call);
    this.#hasCalls = true;
    this.#object = undefined;
    this.#read = '';
    this.#goTo(next);
  }

  #goTo(place: string): void {
    this.#place = place;
    if ((this.#syntax.places[place] ?? []).length === 0) this.#state = 'done';
  }

  #fail(rest: string): string {
    this.#state = 'failed';
    return rest;
  }

  #takeHeld(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}

function textsOf(steps: readonly CallStep[]): string[] {
  return steps.flatMap((step) => (step.kind === 'text' ? [step.text] : []));
}

/** Reads the arguments object of a call whose name came before it. Strings are repaired (`JsonMachine`). */
class ArgumentsReader {
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
