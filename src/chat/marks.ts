// A mark is text that goes through a template beside what a caller wrote, and is taken out of what comes of it.

/** The noncharacters of Unicode's basic plane: never assigned, no white space, and no case of theirs changes. */
const NONCHARACTERS: readonly string[] = [...Array.from({ length: 32 }, (_, i) => 0xfdd0 + i), 0xfffe, 0xffff].map(
  (unit) => String.fromCharCode(unit),
);

/** A noncharacter that none of `texts` has, or more of one in a row than any of them has; as JSON escapes it too. */
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

/** What is left without the marks, and where they were in it. */
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

/** Finds so many of a character in a row, also as `tojson(ensure_ascii=true)` writes it. */
function patternOf(character: string, times: string): RegExp {
  const code = character.charCodeAt(0).toString(16).padStart(4, '0');
  return new RegExp(`(?:\\u${code}|\\\\u${code})${times}`, 'gi');
}
