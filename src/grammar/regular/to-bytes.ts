import type { Dfa } from '../grammar.js';
import { numStates, type Automaton } from './automaton.js';
import type { WorkBudget } from './work-budget.js';
import { createForms } from './byte-forms.js';
import { createByteGraph, uniteEdges, type ByteEdge, type ByteGraph } from './byte-graph.js';
import { added, fixed, hex, spell, type Digit, type TargetRange } from './spelling.js';

/** The texts that an automaton accepts as UTF-8 (RFC 3629). Errors: `grammar_too_large`. */
export function toUtf8(automaton: Automaton, budget: WorkBudget): Dfa {
  return toDfa(automaton, utf8Edges, budget);
}

/**
 * Spelling of the code points of a JSON string. `every`: in every way of RFC 8259. `printed`: as programs print them,
 * so that `\u` is allowed only for control characters and outside of ASCII.
 */
export type JsonSpelling = 'every' | 'printed';

/**
 * The texts between the quotes of JSON strings whose value an automaton accepts: raw characters, short escapes and `\u`
 * in either case, as surrogate pairs beyond the basic plane. Errors: `grammar_too_large`.
 */
export function toJsonString(automaton: Automaton, spelling: JsonSpelling, budget: WorkBudget): Dfa {
  return toDfa(automaton, (graph, ranges) => jsonEdges(graph, ranges, spelling), budget);
}

type ToEdges = (graph: ByteGraph, ranges: readonly TargetRange[]) => readonly ByteEdge[];

/** The automaton over bytes; `toEdges` spells the code points. */
function toDfa(automaton: Automaton, toEdges: ToEdges, budget: WorkBudget): Dfa {
  const size = numStates(automaton);
  const { numClasses } = automaton.alphabet;
  const made = createByteGraph(budget);
  for (let state = 0; state < size; state++) made.declare(automaton.accepting[state] === 1);
  const forms = createForms(made, size, budget);
  for (let state = 0; state < size; state++) {
    const row = automaton.transitions.subarray(state * numClasses, (state + 1) * numClasses);
    const targets = [...new Set(row)].filter((target) => target >= 0);
    const leaves = Array.from(row, (target) => targets.indexOf(target));
    budget.spend(numClasses);
    const edges = forms.edgesOf(leaves, (graph, nodes) => toEdges(graph, rangesOf(automaton, leaves, nodes, budget)));
    made.setEdges(state, forms.copy(edges, targets));
  }
  return made.toDfa(0);
}

/** The code points of each class, by the node that the class leads to. */
function rangesOf(
  { alphabet: { starts, classes } }: Automaton,
  leaves: readonly number[],
  nodes: readonly number[],
  budget: WorkBudget,
): TargetRange[] {
  const ranges: TargetRange[] = [];
  budget.spend(starts.length);
  starts.forEach((from, i) => {
    const found = classes[i] as number;
    const target = found < 0 ? undefined : nodes[leaves[found] ?? -1];
    const last = ranges.at(-1);
    const to = (starts[i + 1] ?? 0x110000) - 1;
    if (target === undefined) return;
    if (last !== undefined && last[1] + 1 === from && last[2] === target) {
      ranges[ranges.length - 1] = [last[0], to, target];
    } else ranges.push([from, to, target]);
  });
  return ranges;
}

/** The parts of ranges that lie within `from` to `to`, counted from `base`. */
function within(ranges: readonly TargetRange[], from: number, to: number, base = 0): TargetRange[] {
  return ranges
    .filter((range) => range[0] <= to && range[1] >= from)
    .map(([low, high, target]) => [Math.max(low, from) - base, Math.min(high, to) - base, target]);
}

const CONTINUATION = added(6, 0x80);
/** The forms of UTF-8: RFC 3629, section 3. */
const UTF8_FORMS: readonly (readonly [from: number, to: number, digits: readonly Digit[]])[] = [
  [0, 0x7f, [added(7, 0)]],
  [0x80, 0x7ff, [added(5, 0xc0), CONTINUATION]],
  [0x800, 0xffff, [added(4, 0xe0), CONTINUATION, CONTINUATION]],
  [0x10000, 0x10ffff, [added(3, 0xf0), CONTINUATION, CONTINUATION, CONTINUATION]],
];

function utf8Edges(graph: ByteGraph, ranges: readonly TargetRange[]): ByteEdge[] {
  return UTF8_FORMS.flatMap(([from, to, digits]) => spell(graph, within(ranges, from, to), digits));
}

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const D_OF_SURROGATE = fixed(0x44, 0x64);
/** `\u` and four digits: RFC 8259, section 7. */
const PLAIN_ESCAPE: readonly Digit[] = [fixed(LETTER_U), hex(4), hex(4), hex(4), hex(4)];
/** A high surrogate D800 to DBFF with the upper ten bits, a low one DC00 to DFFF with the lower ten. */
const PAIR_ESCAPE: readonly Digit[] = [
  fixed(LETTER_U),
  D_OF_SURROGATE,
  hex(2, 8),
  hex(4),
  hex(4),
  fixed(BACKSLASH),
  fixed(LETTER_U),
  D_OF_SURROGATE,
  hex(2, 12),
  hex(4),
  hex(4),
];
/** Letters of the short escapes and their code points. */
const SHORT_ESCAPES: readonly (readonly [letter: string, codePoint: number])[] = [
  ['"', 0x22],
  ['\\', 0x5c],
  ['b', 0x08],
  ['f', 0x0c],
  ['n', 0x0a],
  ['r', 0x0d],
  ['t', 0x09],
];
/** A slash may be escaped and need not; no program that prints JSON for programs does it. */
const SLASH: readonly [letter: string, codePoint: number] = ['/', 0x2f];

function jsonEdges(graph: ByteGraph, ranges: readonly TargetRange[], spelling: JsonSpelling): ByteEdge[] {
  const raw = [...within(ranges, 0x20, 0x21), ...within(ranges, 0x23, 0x5b), ...within(ranges, 0x5d, 0x10ffff)];
  const short = (spelling === 'every' ? [...SHORT_ESCAPES, SLASH] : SHORT_ESCAPES).flatMap(
    ([letter, codePoint]): ByteEdge[] =>
      within(ranges, codePoint, codePoint).map(([, , target]) => [letter.charCodeAt(0), letter.charCodeAt(0), target]),
  );
  const plain =
    spelling === 'every' ? within(ranges, 0, 0xffff) : [...within(ranges, 0, 0x1f), ...within(ranges, 0x7f, 0xffff)];
  const escapes = [
    spell(graph, plain, PLAIN_ESCAPE),
    spell(graph, within(ranges, 0x10000, 0x10ffff, 0x10000), PAIR_ESCAPE),
  ].reduce(
    (all, edges) => uniteEdges(graph, all, edges),
    short.toSorted((a, b) => a[0] - b[0]),
  );
  const edges = utf8Edges(graph, raw);
  if (escapes.length > 0) edges.push([BACKSLASH, BACKSLASH, graph.node(escapes)]);
  return edges.toSorted((a, b) => a[0] - b[0]);
}
