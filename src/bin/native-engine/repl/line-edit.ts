import type { Interface } from 'node:readline';
import { helpWidth, wrap } from '../../../cli/index.js';

/** Puts a text where the cursor is, line breaks and all: readline alone would end the message at the first of them. */
export function insertText(lines: Interface, text: string): void {
  const { line, cursor } = lines;
  replaceLine(lines, line.slice(0, cursor) + text + line.slice(cursor), cursor + text.length);
}

/** Completes what stands before the cursor, or lists what could. */
export function completeAtCursor(
  lines: Interface,
  candidates: readonly string[],
  screen: NodeJS.WritableStream & { readonly columns: number },
): void {
  const { line, cursor } = lines;
  const completion = completeLine(line.slice(0, cursor), candidates);
  if (completion.type === 'text') {
    replaceLine(lines, completion.text + line.slice(cursor), completion.text.length);
    return;
  }
  if (completion.choices.length === 0) return;
  moveToEnd(lines);
  screen.write(`\n${wrap(completion.choices.join(' '), helpWidth(screen, undefined)).join('\n')}\n`);
  Object.assign(lines, { prevRows: 0 });
  replaceLine(lines, line, cursor);
}

/** Draws the line with the cursor behind its last character, so that what is written next comes below it. */
export function moveToEnd(lines: Interface): void {
  replaceLine(lines, lines.line, lines.line.length);
}

function replaceLine(lines: Interface, line: string, cursor: number): void {
  // Node documents both as what it edits; they go together.
  Object.assign(lines, { line, cursor });
  lines.prompt(true);
}

/**
 * Call it before readline draws the line again in a window of another width. readline goes up by as many rows as the
 * line had above the cursor. It must not go further than the line now reaches, or it erases the text above. Most
 * terminals wrap long lines anew; those that do not keep a part of the old line.
 */
export function limitRows(lines: Interface): void {
  const drawn: unknown = Reflect.get(lines, 'prevRows');
  const { rows } = lines.getCursorPos();
  if (typeof drawn === 'number') Object.assign(lines, { prevRows: Math.min(drawn, rows) });
}

/** Pasted text without what could steer the terminal; line breaks of any system become line feeds. */
export function toPlainText(pasted: string): string {
  return pasted.replace(/\r\n?/g, '\n').replace(/(?![\n\t])\p{Cc}/gu, '');
}

/** What Tab makes of the text before the cursor, or the choices when there is nothing to add. */
type TabCompletion =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'choices'; readonly choices: readonly string[] };

/** Completes `head` to what all candidates that begin with it share; candidates are whole lines. */
export function completeLine(head: string, candidates: readonly string[]): TabCompletion {
  const hits = candidates.filter((candidate) => candidate.startsWith(head));
  const [first = ''] = hits;
  const shared = hits.reduce((prefix, hit) => {
    let length = 0;
    while (length < prefix.length && prefix[length] === hit[length]) length++;
    return prefix.slice(0, length);
  }, first);
  if (shared.length > head.length) return { type: 'text', text: shared };
  return { type: 'choices', choices: hits.length > 1 ? hits.map((hit) => hit.trim().split(' ').at(-1) ?? hit) : [] };
}
