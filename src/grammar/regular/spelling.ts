import type { ByteEdge, ByteGraph } from './byte-graph.js';

/** Code points, or a number made from them, that lead to one state. */
export type TargetRange = readonly [from: number, to: number, target: number];

/** One byte of a spelling: `bits` bits of the number that is spelled, and the bytes that spell their values. */
export interface Digit {
  readonly bits: number;
  /** The bytes of the values `from` to `to`, ascending within a stretch. */
  readonly bytes: (from: number, to: number) => readonly (readonly [from: number, to: number])[];
}

/** A byte that is always the same, or one of several. */
export function fixed(...bytes: readonly number[]): Digit {
  return { bits: 0, bytes: () => bytes.map((byte): [number, number] => [byte, byte]) };
}

/** `bits` bits added to a byte, as UTF-8 has them. */
export function added(bits: number, base: number): Digit {
  return { bits, bytes: (from, to) => [[base + from, base + to]] };
}

/** Hexadecimal digits of either case for the values of `bits` bits, which begin at `base`. */
export function hex(bits: number, base = 0): Digit {
  return {
    bits,
    bytes(from, to) {
      const [low, high] = [from + base, to + base];
      const letters = (at: number): [number, number] => [at + Math.max(low, 10) - 10, at + high - 10];
      const all: [number, number][] = [[0x30 + low, 0x30 + Math.min(high, 9)], letters(0x41), letters(0x61)];
      return all.filter(([first, last]) => first <= last);
    },
  };
}

/**
 * The edges that spell numbers by `digits`, the most significant first, and lead to the targets of their ranges. The
 * ranges ascend and do not overlap.
 */
export function spell(graph: ByteGraph, ranges: readonly TargetRange[], digits: readonly Digit[]): ByteEdge[] {
  return spellFrom(graph, ranges, digits, 0);
}

function spellFrom(graph: ByteGraph, ranges: readonly TargetRange[], digits: readonly Digit[], at: number): ByteEdge[] {
  const digit = digits[at];
  const shift = digits.slice(at + 1).reduce((sum, { bits }) => sum + bits, 0);
  if (digit === undefined || ranges.length === 0) return [];
  const size = 2 ** shift;
  const edges = byTopDigit(ranges, size).flatMap(({ from, to, rest }) => {
    const isLast = at === digits.length - 1;
    const node = isLast ? (rest[0]?.[2] ?? 0) : graph.node(spellFrom(graph, rest, digits, at + 1));
    return digit.bytes(from, to).map(([first, last]): ByteEdge => [first, last, node]);
  });
  return edges.toSorted((a, b) => a[0] - b[0]);
}

/** Values of the top digit with the same rest. */
interface Group {
  readonly from: number;
  readonly to: number;
  readonly rest: TargetRange[];
}

/** Splits ranges by top digit; digits that a range covers wholly stay together. `size`: the number of values below a digit. */
function byTopDigit(ranges: readonly TargetRange[], size: number): Group[] {
  const groups: Group[] = [];
  const addPart = (digit: number, part: TargetRange): void => {
    const last = groups.at(-1);
    if (last !== undefined && last.to === digit) last.rest.push(part);
    else groups.push({ from: digit, to: digit, rest: [part] });
  };
  for (const [from, to, target] of ranges) {
    const first = Math.floor(from / size);
    const last = Math.floor(to / size);
    const isFirstWhole = from === first * size;
    const isLastWhole = to === (last + 1) * size - 1;
    if (first === last && !(isFirstWhole && isLastWhole)) {
      addPart(first, [from - first * size, to - first * size, target]);
      continue;
    }
    if (!isFirstWhole) addPart(first, [from - first * size, size - 1, target]);
    const wholeFrom = isFirstWhole ? first : first + 1;
    const wholeTo = isLastWhole ? last : last - 1;
    if (wholeFrom <= wholeTo) groups.push({ from: wholeFrom, to: wholeTo, rest: [[0, size - 1, target]] });
    if (!isLastWhole) addPart(last, [0, to - last * size, target]);
  }
  return groups;
}
