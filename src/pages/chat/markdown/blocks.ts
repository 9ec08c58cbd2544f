// Splits Markdown into blocks that can be parsed independently. A growing answer is then parsed at its end only.

/** A text with the start offsets of its blocks; the first is 0. */
export interface Blocks {
  readonly text: string;
  readonly starts: readonly number[];
}

/** A text without blocks. */
export const NO_BLOCKS: Blocks = { text: '', starts: [] };

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
/** A list marker. A rule (`***`, `- - -`) is not a list, but matches while it is incomplete. */
const LIST_ITEM = /^ {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)/;
const INDENTED = /^(?: {2}|\t)/;

/**
 * Splits `text` into blocks. If it begins with the text of `before`, only the last two blocks are split again. The
 * first line of the last block decides whether the block continues a list, and that line may have grown.
 *
 * A block ends with blank lines, except in an open fence, in a list that continues, or before an indented line.
 */
export function toBlocks(text: string, before: Blocks = NO_BLOCKS): Blocks {
  if (text === before.text) return before;
  const isLonger = before.starts.length > 2 && text.startsWith(before.text);
  const kept = isLonger ? before.starts.slice(0, -2) : [];
  const from = isLonger ? (before.starts.at(-2) ?? 0) : 0;
  return { text, starts: [...kept, ...scan(text, from)] };
}

/** The texts of the blocks. Joined, they are the text. */
export function blockTexts({ text, starts }: Blocks): string[] {
  return starts.map((start, at) => text.slice(start, starts[at + 1]));
}

/** The fence that `line` opens, or undefined. A backtick fence has no backticks after its marker. */
export function openedFence(line: string): { readonly marker: string; readonly language: string } | undefined {
  const [, marker, rest = ''] = FENCE.exec(line) ?? [];
  if (marker === undefined || (marker.startsWith('`') && rest.includes('`'))) return undefined;
  return { marker, language: /^\s*([\w+#.-]{0,40})/.exec(rest)?.[1] ?? '' };
}

/** Whether `line` closes the fence that `marker` opened. */
export function closesFence(line: string, marker: string): boolean {
  const [, found = '', rest = ''] = FENCE.exec(line) ?? [];
  return found.startsWith(marker) && rest.trim() === '';
}

function scan(text: string, from: number): number[] {
  const starts = from < text.length ? [from] : [];
  let fence: string | undefined;
  let isList = false;
  let wasBlank = false;
  let isFirst = true;
  for (let at = from; at < text.length;) {
    const end = text.indexOf('\n', at);
    const next = end === -1 ? text.length : end + 1;
    const line = text.slice(at, end === -1 ? text.length : end).replace(/\r$/, '');
    if (fence !== undefined) {
      if (closesFence(line, fence)) fence = undefined;
    } else if (line.trim() === '') {
      wasBlank = true;
    } else {
      const isItem = LIST_ITEM.test(line);
      if (wasBlank && !isFirst && !INDENTED.test(line) && !(isList && isItem)) {
        starts.push(at);
        isList = isItem;
      }
      if (isFirst) isList = isItem;
      isFirst = false;
      wasBlank = false;
      fence = openedFence(line)?.marker;
    }
    at = next;
  }
  return starts;
}
