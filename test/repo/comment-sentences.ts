// Sentences of comments, and those that are too long to be read once.
import { countWords } from '../docs/prose.js';
import type { Offence } from './source-tree.js';

/** Longest sentence of a comment in words: an engineer reads it once. */
export const MAX_COMMENT_SENTENCE_WORDS = 25;

/** A comment, with the line of its first word from 1. */
export interface Comment {
  readonly line: number;
  readonly lines: readonly string[];
}

/** The comments of a source text, in order: blocks, runs of lines with `//`, and ends of lines. */
export function readComments(text: string): Comment[] {
  const comments: { line: number; lines: string[] }[] = [];
  let block: { line: number; lines: string[] } | undefined;
  let run: { line: number; lines: string[] } | undefined;
  for (const [index, source] of text.split('\n').entries()) {
    const line = index + 1;
    if (block !== undefined) {
      block.lines.push(source.replace(/\*\/.*$/, '').replace(/^\s*\* ?/, ''));
      if (source.includes('*/')) block = undefined;
      continue;
    }
    const [, opened] = /^\s*\/\*\*?(.*)$/.exec(source) ?? [];
    const [, whole] = /^\s*\/\/ ?(.*)$/.exec(source) ?? [];
    if (whole === undefined) run = undefined;
    if (opened !== undefined) {
      const comment = { line, lines: [opened.replace(/\*\/.*$/, '')] };
      comments.push(comment);
      if (!source.includes('*/')) block = comment;
    } else if (whole !== undefined) {
      if (run === undefined) comments.push((run = { line, lines: [] }));
      run.lines.push(whole);
    } else {
      // Behind code: without quotes, since those may be a string with slashes.
      const [, trailing] = /\s\/\/ ([^'"`]*)$/.exec(source) ?? [];
      if (trailing !== undefined) comments.push({ line, lines: [trailing] });
    }
  }
  return comments;
}

/** Sentences of a comment. Code in backquotes is one word; empty lines, items of lists and tags end a sentence. */
export function readCommentSentences({ lines }: Pick<Comment, 'lines'>): string[] {
  const paragraphs: string[] = [];
  let isOpen = false;
  for (const line of lines.map((each) => each.trim())) {
    if (line !== '' && isOpen && !/^(?:[-*] |\d+\. |@)/.test(line))
      paragraphs.push(`${paragraphs.pop() ?? ''} ${line}`);
    else if (line !== '') paragraphs.push(line);
    isOpen = line !== '';
  }
  return paragraphs.flatMap((paragraph) =>
    paragraph
      .replace(/`[^`]*`/g, 'code')
      .split(/(?<=[.!?:][*)"\]]*)\s+/)
      .filter((sentence) => sentence !== ''),
  );
}

/** Sentences of comments with more than `MAX_COMMENT_SENTENCE_WORDS` words. */
export function findLongSentences(path: string, text: string): Offence[] {
  return readComments(text).flatMap((comment) =>
    readCommentSentences(comment)
      .filter((sentence) => countWords(sentence) > MAX_COMMENT_SENTENCE_WORDS)
      .map(
        (sentence) => `${path}:${comment.line} a sentence of ${countWords(sentence)} words: ${sentence.slice(0, 60)}`,
      ),
  );
}
