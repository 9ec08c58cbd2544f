// A mark is a text that goes through a template beside a caller's text; afterwards it is taken out of the prompt.

/** The noncharacters of Unicode's basic plane: never assigned, no white space, and without case. */
const NONCHARACTERS: readonly string[] = [...Array.from({ length: 32 }, (_, i) => 0xfdd0 + i), 0xfffe, 0xffff].map(
  (unit) => String.fromCharCode(unit),
);

/** A noncharacter that none of `texts` has, or a longer run of one than any of them has; also in its JSON escape. */
export function chooseMark(texts: readonly string[]): string {
  const used = new Set<string>();
  for (const text of texts) {
    for (const [found] of text.matchAll(/[\ufdd0-\ufdef\ufffe\uffff]|\\u(?:fd[de][\da-f]|fff[ef])/gi)) {
      used.add(found.length === 1 ? found : String.fromCharCode(Number.parseInt(found.slice(2), 16)));
    }
  }
  const free = NONCHARACTERS.find((character) => !used.has(character));
  if (free !== undefined) return free;
  const [first = ''] = NONCHARACTERS;
  let longest = 0;
  for (const text of texts) {
    for (const [run] of text.matchAll(patternOf(first, '+'))) {
      longest = Math.max(longest, run.replaceAll(/\\u..../g, first).length);
    }
  }
  return first.repeat(longest + 1);
}

/** The text without the marks, and their positions. */
export function takeMarksOut(
  marked: string,
  mark: string,
): { readonly text: string; readonly plainAt: readonly number[] } {
  const plainAt: number[] = [];
  let text = '';
  let from = 0;
  for (const { index, 0: found } of marked.matchAll(patternOf(mark.charAt(0), `{${mark.length}}`))) {
    text += marked.slice(from, index);
    if (plainAt.at(-1) !== text.length) plainAt.push(text.length);
    from = index + found.length;
  }
  return { text: text + marked.slice(from), plainAt };
}

/** An expression for that many of a character in a row, also in the form of `tojson(ensure_ascii=true)`. */
function patternOf(character: string, times: string): RegExp {
  const code = character.charCodeAt(0).toString(16).padStart(4, '0');
  return new RegExp(`(?:\\u${code}|\\\\u${code})${times}`, 'gi');
}
