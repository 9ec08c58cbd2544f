// What a document's prose is held to. Left out: fenced code, tables, headings, comments and what is generated as code.

/** Longest sentence in words. A reader of English as a second language loses longer ones. */
export const MAX_SENTENCE_WORDS = 40;
/** Longest paragraph, or item of a list, in lines of the source. */
export const MAX_PARAGRAPH_LINES = 8;
/** Longest line of the source in characters, so that lines of a paragraph can be counted. A link may make it longer. */
export const MAX_LINE_CHARACTERS = 120;

/** A paragraph or an item of a list. */
export interface Paragraph {
  /** Where it begins, from 1. */
  readonly line: number;
  readonly lines: readonly string[];
}

/** The paragraphs of a document in Markdown, in order. */
export function readParagraphs(document: string): Paragraph[] {
  const paragraphs: { line: number; lines: string[] }[] = [];
  let open: { line: number; lines: string[] } | undefined;
  let isCode = false;
  document.split('\n').forEach((text, i) => {
    const isFence = /^\s*```/.test(text);
    if (isFence) isCode = !isCode;
    const isProse = !isCode && !isFence && text.trim() !== '' && !/^\s*(?:\||#|<!--|!\[)/.test(text);
    const beginsItem = /^\s*(?:[-*]|\d+\.)\s/.test(text);
    if (!isProse || beginsItem) open = undefined;
    if (!isProse) return;
    if (open === undefined) paragraphs.push((open = { line: i + 1, lines: [] }));
    open.lines.push(text);
  });
  if (isCode) throw new Error('a block of code is not closed');
  return paragraphs;
}

/** Sentences of a paragraph; code in backquotes is one word and no end, and so is a link's target. */
export function readSentences({ lines }: Paragraph): string[] {
  const text = lines
    .map((line) => line.trim())
    .join(' ')
    .replace(/`[^`]*`/g, 'code')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/^(?:[-*]|\d+\.)\s+/, '');
  return text.split(/(?<=[.!?:][*)"\]]*)\s+/).filter((sentence) => sentence !== '');
}

/** How many words: runs of characters with a letter or a digit. */
export function countWords(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** What is wrong with a document's prose, by line. */
export function proseFaults(document: string): string[] {
  return readParagraphs(document).flatMap((paragraph) => {
    const at = `line ${paragraph.line}`;
    const long = readSentences(paragraph).filter((sentence) => countWords(sentence) > MAX_SENTENCE_WORDS);
    const wide = paragraph.lines.filter((line) => line.replace(/\]\([^)]*\)/g, ']').length > MAX_LINE_CHARACTERS);
    return [
      ...long.map((sentence) => `${at}: a sentence of ${countWords(sentence)} words: ${sentence.slice(0, 60)}`),
      ...(paragraph.lines.length > MAX_PARAGRAPH_LINES
        ? [`${at}: a paragraph of ${paragraph.lines.length} lines`]
        : []),
      ...wide.map((line) => `${at}: a line of ${line.length} characters`),
    ];
  });
}

/** The anchors of a document's headings, as GitHub makes them. */
export function readAnchors(document: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, title = ''] of document.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)) {
    const slug = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    let anchor = slug;
    for (let again = 1; anchors.has(anchor); again++) anchor = `${slug}-${again}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Targets of the links and pictures of a document, without blocks of code. */
export function readLinks(document: string): string[] {
  const prose = document.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}
