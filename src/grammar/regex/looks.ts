import {
  ANY_TEXT,
  compilePattern,
  intersect,
  sequence,
  subtract,
  type Automaton,
  type WorkBudget,
  type Pattern,
} from '../regular/index.js';
import type { LookNode, RegexNode } from './nodes.js';
import { invalidRegex } from './source.js';

/** Limit of alternatives that are expanded where one of them looks ahead or behind. */
const MAX_ALTERNATIVES = 64;

/** A part of a sequence: in its original form, or an automaton computed before. */
type Part = RegexNode | { readonly kind: 'automaton'; readonly automaton: Automaton };

/**
 * The pattern of the whole texts in which `node` is found; anchored: which it matches. A lookahead or lookbehind
 * becomes an intersection with the texts that follow or precede it. Errors: `invalid_regex` for one inside a
 * repetition, or one that depends on both of its sides.
 */
export function toWholePattern(node: RegexNode, isAnchored: boolean, budget: WorkBudget): Pattern {
  const around: readonly Part[] = isAnchored ? [] : [toPart(ANY_TEXT)];
  const options = alternatives(node).map((parts) => withoutLooks([...around, ...parts, ...around], budget));
  return { kind: 'choice', options };
}

/** `ANY_TEXT` is a pattern that any node may be. */
function toPart(pattern: Pattern): Part {
  return pattern as Part;
}

/** The sequences of which one must match; groups without lookarounds stay as they are. */
function alternatives(node: RegexNode): readonly (readonly RegexNode[])[] {
  if (!hasLook(node)) return [[node]];
  if (node.kind === 'choice') return limited(node.options.flatMap((option) => alternatives(option)));
  if (node.kind !== 'sequence') return [[node]];
  return node.parts.reduce<readonly (readonly RegexNode[])[]>(
    (all, part) => limited(all.flatMap((before) => alternatives(part).map((after) => [...before, ...after]))),
    [[]],
  );
}

function limited<T>(list: readonly T[]): readonly T[] {
  if (list.length > MAX_ALTERNATIVES) throw invalidRegex('it looks ahead or behind in too many alternatives');
  return list;
}

function withoutLooks(parts: readonly Part[], budget: WorkBudget): Pattern {
  const at = parts.findIndex((part) => part.kind === 'look');
  const look = parts[at];
  if (look === undefined || look.kind !== 'look') return sequence(...parts.map(toPattern));
  const [before, after] = [parts.slice(0, at), parts.slice(at + 1)];
  return look.isAhead ? lookAhead(before, look, after, budget) : lookBehind(before, look, after, budget);
}

function lookAhead(before: readonly Part[], look: LookNode, after: readonly Part[], budget: WorkBudget): Pattern {
  const isAtStart = before.every(isStartOrAny) && before.some(({ kind }) => kind === 'assertion');
  if (before.length > 0 && !isAtStart && [look.of, ...after].some((part) => asksFor(part, 'start', 'word', 'behind'))) {
    throw invalidRegex('what follows a lookahead asks what is before it');
  }
  const rest = compilePattern(withoutLooks(after, budget), budget);
  const sought = compilePattern(toWholeEnd(look.of, budget), budget);
  const both = look.isNegated ? subtract(rest, sought, budget) : intersect(rest, sought, budget);
  const following: Pattern = { kind: 'automaton', automaton: both };
  return isAtStart ? following : sequence(...before.map(toPattern), following);
}

function lookBehind(before: readonly Part[], look: LookNode, after: readonly Part[], budget: WorkBudget): Pattern {
  if ([...before, look.of].some((part) => asksFor(part, 'end', 'word')) || hasLook(look.of)) {
    throw invalidRegex('what is before a lookbehind asks what follows it');
  }
  if (after.some((part) => asksFor(part, 'start', 'word'))) {
    throw invalidRegex('what follows a lookbehind asks what is before it');
  }
  const text = compilePattern(sequence(...before.map(toPattern)), budget);
  const sought = compilePattern(sequence(ANY_TEXT, toPattern(look.of)), budget);
  const both = look.isNegated ? subtract(text, sought, budget) : intersect(text, sought, budget);
  return withoutLooks([{ kind: 'automaton', automaton: both }, ...after], budget);
}

/** Texts that begin with a match of a lookahead. */
function toWholeEnd(node: RegexNode, budget: WorkBudget): Pattern {
  const options = alternatives(node).map((parts) => withoutLooks([...parts, toPart(ANY_TEXT)], budget));
  return { kind: 'choice', options };
}

/** Whether it matches only text that a search skips: a start anchor after it means the start of the text. */
function isStartOrAny(part: Part): boolean {
  return part === toPart(ANY_TEXT) || (part.kind === 'assertion' && part.holds === 'start') || isEmptySequence(part);
}

function isEmptySequence(part: Part): boolean {
  return part.kind === 'sequence' && part.parts.length === 0;
}

/** Whether a part has an assertion of one of the sorts; `behind` is a lookbehind. */
function asksFor(part: Part, ...what: readonly ('start' | 'end' | 'word' | 'behind')[]): boolean {
  switch (part.kind) {
    case 'set':
    case 'automaton':
      return false;
    case 'assertion':
      return what.includes(part.holds === 'start' || part.holds === 'end' ? part.holds : 'word');
    case 'sequence':
      return part.parts.some((each) => asksFor(each, ...what));
    case 'choice':
      return part.options.some((each) => asksFor(each, ...what));
    case 'look':
      return (!part.isAhead && what.includes('behind')) || asksFor(part.of, ...what);
    case 'repeat':
      return asksFor(part.of, ...what);
  }
}

function hasLook(node: RegexNode): boolean {
  switch (node.kind) {
    case 'set':
    case 'assertion':
      return false;
    case 'look':
      return true;
    case 'sequence':
      return node.parts.some(hasLook);
    case 'choice':
      return node.options.some(hasLook);
    case 'repeat':
      return hasLook(node.of);
  }
}

function toPattern(part: Part): Pattern {
  switch (part.kind) {
    case 'set':
    case 'assertion':
    case 'automaton':
      return part;
    case 'sequence':
      return { kind: 'sequence', parts: part.parts.map(toPattern) };
    case 'choice':
      return { kind: 'choice', options: part.options.map(toPattern) };
    case 'repeat':
      return { kind: 'repeat', of: toPattern(part.of), min: part.min, max: part.max };
    case 'look':
      throw invalidRegex('it looks ahead or behind within a repetition');
  }
}
