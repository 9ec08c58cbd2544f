import { describe, expect, it } from 'vitest';
import {
  findLongSentences,
  MAX_COMMENT_SENTENCE_WORDS,
  readComments,
  readCommentSentences,
} from './comment-sentences.js';

const words = (count: number): string => Array.from({ length: count }, () => 'word').join(' ');

describe('the check of sentences in comments', () => {
  it('reads blocks, runs of lines and ends of lines, and no strings', () => {
    const text = [
      '// One.',
      '// Two.',
      'const url = "https://host"; // the end',
      "const other = 'a // b';",
      '/** Short. */',
      '/**',
      ' * Long,',
      ' * goes on.',
      ' */',
      'run();',
    ].join('\n');
    expect(readComments(text).map(({ line, lines }) => [line, lines.join('|').trim()])).toEqual([
      [1, 'One.|Two.'],
      [3, 'the end'],
      [5, 'Short.'],
      [6, '| Long,|goes on.|'.replace('| Long', '|Long')],
    ]);
  });

  it('ends sentences at full stops, colons, empty lines and items of lists, not inside of code', () => {
    expect(readCommentSentences({ lines: ['A `b. c` d. E:', 'f', '', 'g', '- h', '- i'] })).toEqual([
      'A code d.',
      'E:',
      'f',
      'g',
      '- h',
      '- i',
    ]);
  });

  it('finds a sentence that is one word too long, over several lines', () => {
    const half = words(MAX_COMMENT_SENTENCE_WORDS - 5);
    expect(findLongSentences('src/a.ts', `// ${half}\n// ${words(5)}.`)).toEqual([]);
    expect(findLongSentences('src/a.ts', `run();\n/**\n * ${half}\n * ${words(6)}.\n */`)).toEqual([
      expect.stringMatching(/^src\/a\.ts:2 a sentence of 26 words: word word/),
    ]);
  });
});
