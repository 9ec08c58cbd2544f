import type { ChatDelta, ChatParser, Dialect, GeneratedText, ParserOptions } from '../chat-parser.js';
import { MAX_TRIMMED_NEWLINES } from '../limits.js';
import { ToolCallReader } from '../tool-call-reader.js';

const THINK = '<think>';
const END_THINK = '</think>';
const CALL = '<tool_call>';
const END_CALL = '</tool_call>';

// One list for each state, so that a token allocates none.
const START_TAGS: readonly string[] = [THINK, CALL];
const THINK_TAGS: readonly string[] = [THINK];
const REASONING_TAGS: readonly string[] = [END_THINK];
const CONTENT_TAGS: readonly string[] = [CALL];
const AFTER_CALL_TAGS: readonly string[] = [END_CALL, CALL];
const NO_TAGS: readonly string[] = [];

/**
 * Hermes and Qwen: `<think>…</think>`, then content with `<tool_call>{"name": …, "arguments": …}</tool_call>`.
 * Source: the chat templates of Hermes 2 Pro and Qwen 3.
 */
export const hermes: Dialect = {
  name: 'hermes',
  tags: [THINK, END_THINK, CALL, END_CALL],
  reasoningTags: { open: THINK, close: END_THINK },
  calls: {
    trigger: CALL,
    open: (name) => `${CALL}\n{"name": ${JSON.stringify(name)}, "arguments": `,
    close: `}\n${END_CALL}`,
    between: '\n',
  },
  createParser: (options) => new HermesParser(options ?? {}),
};

/** `start`: nothing but white space yet, so reasoning may open. `afterCall`: the object is closed, its end tag not read. */
type State = 'start' | 'reasoning' | 'content' | 'call' | 'afterCall';

class HermesParser implements ChatParser {
  readonly #tools: boolean;
  #state: State;
  /** Text that may turn out to be the newlines before a tag, or the start of one. */
  #held = '';
  #skipNewlines: boolean;
  #call = new ToolCallReader();
  /** What stood before the object of the call, to hand out should it not be one. */
  #callPrefix = '';
  #completeCalls = 0;
  #deltas: ChatDelta[] = [];

  constructor(options: ParserOptions) {
    this.#tools = options.tools === true;
    this.#state =
      options.startsInReasoning === true ? 'reasoning' : options.startsInContent === true ? 'content' : 'start';
    this.#skipNewlines = this.#state === 'reasoning';
  }

  get pending(): number {
    if (this.#state !== 'call') return this.#held.length;
    return this.#callPrefix.length + this.#call.text.length + this.#held.length;
  }

  get inReasoning(): boolean {
    return this.#state === 'reasoning';
  }

  get completeCalls(): number {
    return this.#completeCalls;
  }

  push({ text, special }: GeneratedText): ChatDelta[] {
    // Half a tag as text is content after all when an added token follows it.
    if (special !== undefined && this.#state === 'start' && this.#held.trim() !== '') this.#state = 'content';
    if (special === undefined) this.#read(text);
    else if (this.#state === 'call') this.#specialInCall(special);
    else if (this.#tags().includes(special)) this.#openTag(special, this.#takeHeld());
    else this.#read(special);
    return this.#takeDeltas();
  }

  end(): ChatDelta[] {
    if (this.#state === 'call') this.#endCall(this.#takeHeld());
    else this.#emit(this.#takeHeld());
    return this.#takeDeltas();
  }

  #read(text: string): void {
    let rest = text;
    while (rest !== '') {
      if (this.#state === 'call') rest = this.#readCall(rest);
      else if (this.#state === 'start') rest = this.#readStart(rest);
      else rest = this.#readText(rest);
    }
  }

  /** The tags that mean something here. */
  #tags(): readonly string[] {
    switch (this.#state) {
      case 'start':
        return this.#tools ? START_TAGS : THINK_TAGS;
      case 'reasoning':
        return REASONING_TAGS;
      case 'afterCall':
        return AFTER_CALL_TAGS;
      default:
        return this.#tools ? CONTENT_TAGS : NO_TAGS;
    }
  }

  /** White space may come before the first tag; anything else is content. */
  #readStart(text: string): string {
    const all = this.#takeHeld() + text;
    const blank = all.length - all.trimStart().length;
    const next = all.slice(blank);
    if (blank <= MAX_TRIMMED_NEWLINES) {
      const tag = this.#tags().find((candidate) => next.startsWith(candidate));
      if (tag !== undefined) {
        this.#openTag(tag, all.slice(0, blank));
        return next.slice(tag.length);
      }
      if (this.#tags().some((candidate) => candidate.startsWith(next))) {
        this.#held = all;
        return '';
      }
    }
    this.#state = 'content';
    return all;
  }

  #readText(text: string): string {
    let all = this.#takeHeld() + text;
    if (this.#skipNewlines) {
      all = all.replace(/^\n+/, '');
      if (all === '') return '';
      this.#skipNewlines = false;
    }
    const tags = this.#tags();
    let at = all.length;
    let found: string | undefined;
    for (const tag of tags) {
      const index = all.indexOf(tag);
      if (index === -1 || index >= at) continue;
      at = index;
      found = tag;
    }
    if (found !== undefined) {
      this.#openTag(found, all.slice(0, at));
      return all.slice(at + found.length);
    }
    const keep = tags.length === 0 ? all.length : holdFrom(all, tags);
    this.#emit(all.slice(0, keep));
    this.#held = all.slice(keep);
    return '';
  }

  /** Passes from one section to the next. `before` is the text up to the tag. */
  #openTag(tag: string, before: string): void {
    const end = this.#state === 'start' ? 0 : newlinesFrom(before, before.length);
    this.#emit(before.slice(0, end));
    this.#skipNewlines = true;
    if (tag === CALL) {
      this.#state = 'call';
      this.#call = new ToolCallReader();
      this.#callPrefix = before.slice(end) + tag;
    } else this.#state = tag === THINK ? 'reasoning' : 'content';
  }

  /** Nothing of a call is given out before it is whole: until then all of it may turn out to be content. */
  #readCall(text: string): string {
    const all = this.#takeHeld() + text;
    const end = this.#call.read(all);
    const rest = all.slice(end);
    if (this.#call.closed) {
      this.#giveCall();
      this.#state = 'afterCall';
      return rest;
    }
    if (rest.startsWith(END_CALL)) {
      this.#endCall(END_CALL);
      return rest.slice(END_CALL.length);
    }
    if (END_CALL.startsWith(rest)) {
      this.#held = rest;
      return '';
    }
    this.#breakCall('');
    return rest;
  }

  /** In a string a tag is text, also as a token. */
  #specialInCall(special: string): void {
    if (special === END_CALL && !this.#call.inString) this.#endCall(this.#takeHeld() + special);
    else this.#read(special);
  }

  /** Ends a call whose object is not closed, with its end tag or with the answer (''). The last brace may be missing. */
  #endCall(tail: string): void {
    if ((tail !== '' && tail !== END_CALL) || !this.#giveCall()) {
      this.#breakCall(tail);
      return;
    }
    this.#state = 'content';
    this.#skipNewlines = true;
  }

  #giveCall(): boolean {
    const { call } = this.#call;
    if (call === undefined) return false;
    this.#deltas.push({ type: 'toolCall', index: this.#completeCalls, ...call });
    this.#completeCalls++;
    return true;
  }

  /** What was read is no call, so it is content, `tail` too: text is never lost. */
  #breakCall(tail: string): void {
    this.#state = 'content';
    this.#skipNewlines = false;
    this.#emit(this.#callPrefix + this.#call.text + tail);
  }

  #emit(text: string): void {
    if (text === '') return;
    this.#deltas.push({ type: this.#state === 'reasoning' ? 'reasoning' : 'content', text });
  }

  #takeHeld(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }

  #takeDeltas(): ChatDelta[] {
    const deltas = this.#deltas;
    if (deltas.length > 0) this.#deltas = [];
    return deltas;
  }
}

/** Where the newlines start that end at `end`, as far as they are trimmed. */
function newlinesFrom(text: string, end: number): number {
  let start = end;
  while (start > 0 && end - start < MAX_TRIMMED_NEWLINES && text.charAt(start - 1) === '\n') start--;
  return start;
}

/** Where the part of `text` starts that may be the newlines before a tag and the start of the tag. */
function holdFrom(text: string, tags: readonly string[]): number {
  const bracket = text.lastIndexOf('<');
  const isStart = bracket !== -1 && tags.some((tag) => tag.startsWith(text.slice(bracket)));
  return newlinesFrom(text, isStart ? bracket : text.length);
}
