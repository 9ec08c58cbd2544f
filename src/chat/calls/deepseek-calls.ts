import type { CallNotation, ModelDialect } from '../chat-parser.js';
import { TaggedParser, type TaggedSyntax } from '../tagged-parser.js';
import type { CallSyntax } from './call-syntax.js';

const THINK = '<think>';
const END_THINK = '</think>';
const CALLS = '<｜tool▁calls▁begin｜>';
const END_CALLS = '<｜tool▁calls▁end｜>';
/** Before a call. */
export const CALL = '<｜tool▁call▁begin｜>';
/** After a call. */
export const END_CALL = '<｜tool▁call▁end｜>';
/** Beside the name of a call. */
export const SEPARATOR = '<｜tool▁sep｜>';

/** Before the arguments, up to version 3.1. */
export const FENCE = '```json';
/** After them. */
export const END_FENCE = '```';

/** For both versions: a word before the separator is the name, unless another follows it. */
const calls: CallSyntax = {
  openers: { [CALLS]: 'calls', [CALL]: 'name' },
  closers: [END_CALL, END_CALLS],
  places: {
    calls: [{ kind: 'text', text: CALL, next: 'name' }],
    name: [{ kind: 'name', next: 'separator' }],
    separator: [{ kind: 'text', text: SEPARATOR, next: 'separated' }],
    separated: [
      { kind: 'text', text: FENCE, next: 'fenced' },
      { kind: 'arguments', next: 'close' },
      { kind: 'name', next: 'fence' },
    ],
    fence: [
      { kind: 'text', text: FENCE, next: 'fenced' },
      { kind: 'arguments', next: 'close' },
    ],
    fenced: [{ kind: 'arguments', next: 'endFence' }],
    endFence: [
      { kind: 'text', text: END_FENCE, next: 'close', closes: true },
      { kind: 'text', text: END_CALL, next: 'after', closes: true },
    ],
    close: [{ kind: 'text', text: END_CALL, next: 'after', closes: true }],
    after: [
      { kind: 'text', text: CALL, next: 'name' },
      { kind: 'text', text: END_CALLS, next: 'end', closes: true },
    ],
  },
};

const syntax: TaggedSyntax = { reasoning: { open: THINK, close: END_THINK }, calls };

/** The common part of all versions' dialects. */
export const deepseekDialect = {
  tags: [THINK, END_THINK, CALLS, END_CALLS, CALL, END_CALL, SEPARATOR],
  marks: [CALLS, CALL],
  reasoningTags: syntax.reasoning,
  createParser: (options) => new TaggedParser(syntax, options ?? {}),
} satisfies Partial<ModelDialect>;

/** The common part of their notations. */
export const deepseekNotation = {
  triggers: [CALLS, CALL],
  begin: [CALLS],
  end: END_CALLS,
} satisfies Partial<CallNotation>;
