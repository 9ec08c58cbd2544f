// The fenced blocks of a document, in order.

/** A block of code. */
export interface Block {
  readonly language: string;
  /** The line of the document that it begins on, from 1. */
  readonly line: number;
  readonly text: string;
  /** Why it is not run: `<!-- not run: … -->` on the line before it. */
  readonly notRun?: string;
}

/** The `sh` and `ts` blocks of a document. Throws when a reason stands before no block. */
export function readBlocks(document: string): Block[] {
  const blocks: Block[] = [];
  let reasons = 0;
  for (const match of document.matchAll(/^(?:<!-- not run: (.+) -->\n)?```(\w+)\n([\s\S]*?)^```$/gm)) {
    const [all, notRun, language = '', text = ''] = match;
    if (!['sh', 'ts'].includes(language)) continue;
    if (notRun !== undefined) reasons++;
    const line = document.slice(0, match.index + all.indexOf('```')).split('\n').length;
    blocks.push({ language, line, text, ...(notRun !== undefined && { notRun }) });
  }
  const written = document.match(/^<!-- not run:/gm)?.length ?? 0;
  if (written !== reasons) throw new Error(`${written} reasons not to run a block stand before ${reasons} blocks`);
  return blocks;
}

/** The commands of a shell block, without comments; a line that ends in a backslash goes on. */
export function readCommands(text: string): string[] {
  return text
    .replaceAll('\\\n', '')
    .split('\n')
    .map((line) => line.replace(/^#.*|\s+# .*$/, '').trim())
    .filter((line) => line !== '');
}
