import { CallSection, type SectionTools } from './calls/call-section.js';
import type { CallSyntax } from './calls/call-syntax.js';
import type { Delta, ChatParser, GeneratedText, ParserOptions } from './chat-parser.js';
import { MAX_TRIMMED_NEWLINES } from './limits.js';

/** The syntax of a dialect. */
export interface TaggedSyntax {
  /** The tags around reasoning, which comes first in an answer; null without any. */
  readonly reasoning: { readonly open: string; readonly close: string } | null;
  readonly calls: CallSyntax;
}

/**
 * `start`: only white space so far, so reasoning may open, or calls without a tag. `afterCalls`: no more calls follow
 * without a tag, and some closing tags are still missing.
 */
type State = 'start' | 'reasoning' | 'content' | 'calls' | 'afterCalls';

const NO_TAGS: readonly string[] = [];

/**
 * Parses an answer with reasoning and calls between tags. A call is given out only when it is whole: until then all of
 * it may turn out to be content. Newlines beside a tag are trimmed.
 */
export class TaggedParser implements ChatParser {
  readonly #syntax: TaggedSyntax;
  readonly #tools: SectionTools;
  readonly #bareTools: SectionTools;
  // One list for each state, so that a token allocates none.
  readonly #openers: readonly string[];
  readonly #startTags: readonly string[];
  readonly #reasoningTags: readonly string[];
  readonly #mayBeBare: boolean;
  readonly #dropsCalls: boolean;
  /** Closing tags of the last calls that are still missing, and the tags that open more. */
  #afterCallTags: readonly string[] = NO_TAGS;
  #mayReason = true;
  #state: State;
  /** Text that may turn out to be the newlines before a tag, or the start of one. */
  #held = '';
  #skipNewlines: boolean;
  #section: CallSection | undefined;
  /** Text before the first call of the section; it is given out if no call follows. */
  #prefix = '';
  #completeCalls = 0;
  #deltas: Delta[] = [];

  constructor(syntax: TaggedSyntax, options: ParserOptions) {
    const { dropsCalls = false, toolNames, parametersOf, startsInReasoning, startsInContent } = options;
    const tools = options.tools === true || dropsCalls;
    const { reasoning, calls } = syntax;
    this.#syntax = syntax;
    this.#tools = { parametersOf };
    this.#bareTools = { parametersOf, bare: { names: toolNames === undefined ? undefined : new Set(toolNames) } };
    this.#openers = tools ? Object.keys(calls.openers) : NO_TAGS;
    this.#startTags = reasoning === null ? this.#openers : [reasoning.open, ...this.#openers];
    this.#reasoningTags = reasoning === null ? NO_TAGS : [reasoning.close];
    this.#mayBeBare = tools && calls.bare !== undefined;
    this.#dropsCalls = dropsCalls;
    this.#state = 'start';
    if (startsInReasoning === true && reasoning !== null) this.#state = 'reasoning';
    else if (startsInContent === true) this.#beginContent();
    this.#skipNewlines = this.#state === 'reasoning';
  }

  get pending(): number {
    return this.#prefix.length + (this.#section?.text.length ?? 0) + this.#held.length;
  }

  get inReasoning(): boolean {
    return this.#state === 'reasoning';
  }

  get completeCalls(): number {
    return this.#completeCalls;
  }

  push({ text, special }: GeneratedText): Delta[] {
    // Half a tag is content after all when an added token follows it.
    if (special !== undefined && this.#state === 'start' && this.#held.trim() !== '') this.#state = 'content';
    if (special === undefined) this.#read(text);
    else if (this.#state !== 'calls' && this.#tags().includes(special)) this.#openTag(special, this.#takeHeld());
    else this.#read(special);
    return this.#takeDeltas();
  }

  end(): Delta[] {
    if (this.#section === undefined) this.#emit(this.#takeHeld());
    else {
      const isCut = this.#section.state === 'open';
      this.#section.end();
      this.#leaveSection(this.#section, isCut);
    }
    return this.#takeDeltas();
  }

  #read(text: string): void {
    let rest = text;
    while (rest !== '') {
      if (this.#section !== undefined) rest = this.#readCalls(this.#section, rest);
      else if (this.#state === 'start') rest = this.#readStart(rest);
      else rest = this.#readText(rest);
    }
  }

  /** The tags with a meaning in the present state. */
  #tags(): readonly string[] {
    switch (this.#state) {
      case 'start':
        return this.#mayReason ? this.#startTags : this.#openers;
      case 'reasoning':
        return this.#reasoningTags;
      case 'afterCalls':
        return this.#afterCallTags;
      default:
        return this.#openers;
    }
  }

  /** White space may come before the first tag, or before a call without one; any other text is content. */
  #readStart(text: string): string {
    const all = this.#skip(this.#takeHeld() + text);
    if (all === '') return '';
    const blank = all.length - all.trimStart().length;
    const next = all.slice(blank);
    const tags = this.#tags();
    if (blank <= MAX_TRIMMED_NEWLINES) {
      const tag = tags.find((candidate) => next.startsWith(candidate));
      if (tag !== undefined) {
        this.#openTag(tag, all.slice(0, blank));
        return next.slice(tag.length);
      }
      const { bare } = this.#syntax.calls;
      if (this.#mayBeBare && bare !== undefined && next.startsWith('{')) {
        this.#openSection(new CallSection(this.#syntax.calls, bare, this.#bareTools), all.slice(0, blank));
        return next;
      }
      if ((next === '' && this.#mayBeBare) || tags.some((candidate) => candidate.startsWith(next))) {
        this.#held = all;
        return '';
      }
    }
    this.#state = 'content';
    return all;
  }

  #readText(text: string): string {
    const all = this.#skip(this.#takeHeld() + text);
    if (all === '') return '';
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

  /** Removes the newlines behind a tag. */
  #skip(text: string): string {
    if (!this.#skipNewlines) return text;
    const rest = text.replace(/^\n+/, '');
    if (rest !== '') this.#skipNewlines = false;
    return rest;
  }

  /** Passes from one section to the next. `before` is the text up to the tag. */
  #openTag(tag: string, before: string): void {
    const { reasoning, calls } = this.#syntax;
    const end = this.#state === 'start' ? 0 : newlinesFrom(before, before.length);
    this.#emit(before.slice(0, end));
    this.#skipNewlines = true;
    const place = this.#state === 'reasoning' ? undefined : calls.openers[tag];
    if (place !== undefined) this.#openSection(new CallSection(calls, place, this.#tools), before.slice(end) + tag);
    else if (this.#state === 'afterCalls') this.#closeCalls(tag);
    else if (tag === reasoning?.open) this.#state = 'reasoning';
    else this.#beginContent();
  }

  /** Removes each closing tag once. */
  #closeCalls(tag: string): void {
    this.#afterCallTags = this.#afterCallTags.filter((other) => other !== tag);
    if (this.#afterCallTags.length === this.#openers.length) this.#state = 'content';
  }

  /** After reasoning, or without any: an answer may still begin with calls that no tag opens. */
  #beginContent(): void {
    this.#state = this.#mayBeBare ? 'start' : 'content';
    this.#mayReason = false;
  }

  #openSection(section: CallSection, prefix: string): void {
    this.#state = 'calls';
    this.#section = section;
    this.#prefix = prefix;
  }

  #readCalls(section: CallSection, text: string): string {
    const rest = section.read(text);
    this.#giveCalls(section);
    if (section.state !== 'open') this.#leaveSection(section);
    return rest;
  }

  #giveCalls(section: CallSection): void {
    for (const call of section.takeCalls()) {
      this.#prefix = '';
      if (this.#dropsCalls) continue;
      this.#deltas.push({ type: 'toolCall', index: this.#completeCalls, ...call });
      this.#completeCalls++;
    }
  }

  /** Text that belongs to no call becomes content. Only newlines behind calls and their closing tags are dropped. */
  #leaveSection(section: CallSection, isCut = false): void {
    this.#giveCalls(section);
    const { closers } = this.#syntax.calls;
    const { hasCalls } = section;
    // A tag has opened this text: it is the beginning of a call that the end of the answer cut off.
    const isDropped = isCut && this.#dropsCalls && (hasCalls || this.#isCall(section));
    const whole = hasCalls ? section.text.replace(/^\n+/, '') : this.#prefix + section.text;
    const text = isDropped ? '' : whole;
    this.#section = undefined;
    this.#prefix = '';
    this.#state = hasCalls && section.state === 'failed' && closers.length > 0 ? 'afterCalls' : 'content';
    this.#afterCallTags = [...closers, ...this.#openers];
    this.#skipNewlines = hasCalls && text === '';
    this.#emit(text);
  }

  /** Whether an unfinished section is one of calls: a tag has opened it, or it names a tool. */
  #isCall({ text }: CallSection): boolean {
    const names = [...(this.#bareTools.bare?.names ?? [])];
    return this.#prefix.trim() !== '' || names.some((name) => text.includes(JSON.stringify(name)));
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

  #takeDeltas(): Delta[] {
    const deltas = this.#deltas;
    if (deltas.length > 0) this.#deltas = [];
    return deltas;
  }
}

/** Start of the newlines that end at `end`, as far as they are trimmed. */
function newlinesFrom(text: string, end: number): number {
  let start = end;
  while (start > 0 && end - start < MAX_TRIMMED_NEWLINES && text.charAt(start - 1) === '\n') start--;
  return start;
}

/** Start of the part of `text` that may be the newlines before a tag and the start of the tag. */
function holdFrom(text: string, tags: readonly string[]): number {
  const longest = Math.max(...tags.map(({ length }) => length));
  for (let at = Math.max(0, text.length - longest + 1); at < text.length; at++) {
    if (tags.some((tag) => tag.charCodeAt(0) === text.charCodeAt(at) && tag.startsWith(text.slice(at)))) {
      return newlinesFrom(text, at);
    }
  }
  return newlinesFrom(text, text.length);
}
