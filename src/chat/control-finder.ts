import type { TemplateWords } from '../jinja/index.js';

/**
 * The positions of a caller's text that need marks, so that no control token can come of it: offsets, ascending. A
 * token made of the text, alone or together with the template's text beside it, has a mark strictly inside. A token of
 * a single character has marks at both ends.
 */
export type FindMarks = (text: string) => readonly number[];

interface Node {
  readonly next: Map<number, Node>;
  isEnd: boolean;
}

/**
 * Finds the texts of control tokens: whole ones, beginnings at the end of a text and ends at its start (without white
 * space, since templates trim and join). It also finds a text that is the middle of a token, unless the template knows
 * it as a word. If the template may cut something out of a text, every first and last character of a token in it gets a
 * mark: the rest may join to one. ASCII letters count in either case, since templates change it. Linear in the text's
 * length, times a token's.
 */
export function createMarkFinder(
  controls: readonly string[],
  { known, cutters }: Pick<TemplateWords, 'known' | 'cutters'>,
): FindMarks {
  const texts = controls.filter((text) => text !== '').map(fold);
  if (texts.length === 0) return () => [];
  const forwards = createTrie(texts);
  const backwards = createTrie(texts.map(reverse));
  const longest = Math.max(...texts.map(({ length }) => length));
  const all = texts.join('\u0000');
  const firsts = new Set(texts.map((text) => text.charAt(0)));
  const lasts = new Set(texts.map((text) => text.charAt(text.length - 1)));

  return (text) => {
    const folded = fold(text);
    const marks: number[] = [];
    for (let at = 0; at < folded.length; at++) markWhole(forwards, folded, at, marks);
    const end = folded.trimEnd().length;
    for (let at = Math.max(0, end - longest); at < end; at++) {
      if (isBeginning(forwards, folded, at, end)) marks.push(at + sizeAt(folded, at));
    }
    const start = folded.length - folded.trimStart().length;
    const mirrored = reverse(folded.slice(start, start + longest));
    for (let at = 0; at < mirrored.length; at++) {
      // The last character of a token's end, seen from behind.
      if (isBeginning(backwards, mirrored, at, mirrored.length)) {
        marks.push(start + mirrored.length - at - sizeAt(mirrored, at));
      }
    }
    const word = text.trim();
    if (word !== '' && word.length < longest && !known.has(word) && all.includes(folded.slice(start, end))) {
      marks.push(start);
    }
    const present = cutters.filter((part) => text.includes(part));
    if (present.length > 0) markEnds(folded, coverOf(text, present), firsts, lasts, marks);
    return inOrder(marks);
  };
}

/** Marks the tokens that begin at `at`: after their first character, and those of one character at both ends. */
function markWhole(trie: Node, text: string, at: number, marks: number[]): void {
  let node = trie.next.get(text.charCodeAt(at));
  if (node === undefined) return;
  const inside = at + sizeAt(text, at);
  for (let i = at + 1; node !== undefined; i++) {
    if (node.isEnd) {
      if (i <= inside) marks.push(at);
      marks.push(inside);
    }
    node = i < text.length ? node.next.get(text.charCodeAt(i)) : undefined;
  }
}

/** Marks the positions behind each of `firsts` and before each of `lasts`, except inside of covered parts. */
function markEnds(
  text: string,
  covered: Uint8Array,
  firsts: ReadonlySet<string>,
  lasts: ReadonlySet<string>,
  marks: number[],
): void {
  const mark = (place: number): void => {
    if (covered[place - 1] !== 1 || covered[place] !== 1) marks.push(place);
  };
  for (let at = 0; at < text.length; at++) {
    if (firsts.has(text.charAt(at))) mark(at + sizeAt(text, at));
    if (lasts.has(text.charAt(at))) mark(isLowHalf(text, at) ? at - 1 : at);
  }
}

/** 1 for each unit of `text` that is in one of `parts`. */
function coverOf(text: string, parts: readonly string[]): Uint8Array {
  const covered = new Uint8Array(text.length);
  for (const part of parts) {
    for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) covered.fill(1, at, at + part.length);
  }
  return covered;
}

/** Whether the unit at `at` is the second half of a character. */
function isLowHalf(text: string, at: number): boolean {
  return at > 0 && (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}

/** Ascending, each once. */
function inOrder(marks: readonly number[]): readonly number[] {
  if (marks.length < 2) return marks;
  return Array.from(Uint32Array.from(marks).toSorted()).filter((mark, i, all) => mark !== all[i - 1]);
}

/** Whether `text[at, end)` begins a token that is longer. */
function isBeginning(trie: Node, text: string, at: number, end: number): boolean {
  let node: Node | undefined = trie;
  for (let i = at; i < end && node !== undefined; i++) node = node.next.get(text.charCodeAt(i));
  return node !== undefined && node.next.size > 0;
}

function createTrie(texts: readonly string[]): Node {
  const root: Node = { next: new Map(), isEnd: false };
  for (const text of texts) {
    let node = root;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      let next = node.next.get(unit);
      if (next === undefined) node.next.set(unit, (next = { next: new Map(), isEnd: false }));
      node = next;
    }
    node.isEnd = true;
  }
  return root;
}

/** Units of the character at `at`, also of one whose halves are in the order of a reversed text. */
function sizeAt(text: string, at: number): number {
  const halves = (text.charCodeAt(at) & 0xf800) === 0xd800 && (text.charCodeAt(at + 1) & 0xf800) === 0xd800;
  return halves ? 2 : 1;
}

/** ASCII letters in lower case; every unit keeps its position. */
function fold(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The units in the opposite order. */
function reverse(text: string): string {
  let reversed = '';
  for (let i = text.length - 1; i >= 0; i--) reversed += text.charAt(i);
  return reversed;
}
