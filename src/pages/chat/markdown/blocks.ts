// Cuts Markdown into pieces that can be parsed alone, so that an answer that grows is parsed at its end only.

/** A text and where its blocks begin; the first begins at 0. */
export interface Blocks {
  readonly text: string;
  readonly starts: readonly number[];
}

/** A text without blocks. */
export const NO_BLOCKS: Blocks = { text: '', starts: [] };

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
/** A marker of a list. A rule (`***`, `- - -`) is none, but is taken for one while it is not whole. */
const LIST_ITEM = /^ {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)/;
const INDENTED = /^(?: {2}|\t)/;

/**
 * The blocks of `text`. Where it begins with the text of `before`, only its last two blocks are looked at again: the first line
 * of the last one says whether it goes on a list, and that line may have grown.
 *
 * A block ends with blank lines, unless it is a fence that is open, or a list that goes on, or what follows is indented.
 */
export function toBlocks(text: string, before: Blocks = NO_BLOCKS): Blocks {
  if (text === before.text) return before;
  const isLonger = before.starts.length > 2 && text.startsWith(before.text);
  const kept = isLonger ? before.starts.slice(0, -2) : [];
  const from = isLonger ? (before.starts.at(-2) ?? 0) : 0;
  return { text, starts: [...kept, ...scan(text, from)] };
}

/** The texts of the blocks, which joined are the text. */
export function blockTexts({ text, starts }: Blocks): string[] {
  return starts.map((start, at) => text.slice(start, starts[at + 1]));
}

/** The fence that `line` opens; undefined where it opens none. A fence of backticks has none behind it. */
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
