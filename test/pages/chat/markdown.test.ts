import fc from 'fast-check';
import { Marked } from 'marked';
import { describe, expect, it } from 'vitest';
import { blockTexts, NO_BLOCKS, toBlocks } from '../../../src/pages/chat/markdown/blocks.js';
import { linkDefinitions, MAX_PARSED_CHARS, readFence, toHtml } from '../../../src/pages/chat/markdown/render.js';
import { expectWithin } from '../../support/elapsed.js';

/** Lines of which texts are made that begin, go on and end every kind of block. */
const LINES = [
  '',
  '',
  'text',
  '  indented',
  '    code',
  '- item',
  '  - inner',
  '1. one',
  '2) two',
  '> quote',
  '# heading',
  '```js',
  '```',
  '~~~',
  '````',
  '| a | b |',
  '|---|---|',
  '---',
  '***',
  '-',
  '*a*',
  '[x]: http://x',
  '\tTab',
  '-  ',
];
const markdown = fc.array(fc.constantFrom(...LINES), { maxLength: 40 }).map((lines) => lines.join('\n'));

describe('blocks of Markdown', () => {
  it('are the same whether the text came at once or grew', () => {
    fc.assert(
      fc.property(markdown, fc.array(fc.nat(200), { maxLength: 12 }), (text, cuts) => {
        let grown = NO_BLOCKS;
        for (const cut of cuts.toSorted((a, b) => a - b)) grown = toBlocks(text.slice(0, cut), grown);
        grown = toBlocks(text, grown);
        expect(grown.starts).toEqual(toBlocks(text).starts);
        expect(blockTexts(grown).join('')).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  it('begin again where the text is another', () => {
    const before = toBlocks('a\n\nb\n\nc\n\nd');
    expect(blockTexts(toBlocks('x\n\ny', before))).toEqual(['x\n\n', 'y']);
  });

  it.each([
    ['paragraphs', 'a\nb\n\nc', ['a\nb\n\n', 'c']],
    ['a fence with blank lines', '```\n\na\n\n```\n\nb', ['```\n\na\n\n```\n\n', 'b']],
    ['a fence that is open', 'a\n\n```\n\nb\n\nc', ['a\n\n', '```\n\nb\n\nc']],
    ['a longer fence around a shorter', '````\n```\n\nx\n````\n\ny', ['````\n```\n\nx\n````\n\n', 'y']],
    ['a loose list', '- a\n\n- b\n\n  more\n\ntext', ['- a\n\n- b\n\n  more\n\n', 'text']],
    ['a numbered list', '1. a\n\n2. b', ['1. a\n\n2. b']],
    ['code in a list', '- a\n\n  ```\n\n  x\n  ```\n\nb', ['- a\n\n  ```\n\n  x\n  ```\n\n', 'b']],
  ])('keep together: %s', (_, text, expected) => {
    expect(blockTexts(toBlocks(text))).toEqual(expected);
  });

  it('say together what the whole text says', () => {
    const texts = [
      '# Title\n\nA *word* and `code`.\n\n- one\n- two\n\n1. a\n2. b\n\n> quote\n\n---\n\nend',
      '- loose\n\n- list\n\n  with a paragraph\n\nafter\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\nlast',
      'See [the page][p].\n\nMore.\n\n[p]: https://example.org',
    ];
    const plain = (html: string): string => html.replaceAll(/\s+/g, ' ').replaceAll('> <', '><').trim();
    for (const text of texts) {
      const definitions = linkDefinitions(text);
      const parts = blockTexts(toBlocks(text)).map((block) => toHtml(block, definitions));
      expect(plain(parts.join('\n'))).toBe(plain(toHtml(text)));
    }
  });
});

describe('Markdown as HTML', () => {
  it('shows what is written as HTML and runs none of it', () => {
    expect(toHtml('<script>alert(1)</script>')).not.toContain('<script');
    expect(toHtml('a <img src=x onerror=alert(1)> b')).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(toHtml('```"><img src=x>\n</code><b>\n```')).not.toMatch(/<img|<b>/);
  });

  it('leads to the web and to mail only, in another tab that knows nothing of this one', () => {
    expect(toHtml('[a](https://example.org "t")')).toContain(
      '<a href="https://example.org" title="t" target="_blank" rel="noopener noreferrer nofollow">a</a>',
    );
    for (const target of [
      'javascript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      '/v1/models',
      '//evil.example',
      'java\nscript:x',
    ]) {
      expect(toHtml(`[a](${target}) ![b](${target})`)).not.toContain('href');
    }
    expect(toHtml('![a picture](https://example.org/p.png)')).toMatch(
      /<a href="https:\/\/example.org\/p.png"[^>]*>a picture<\/a>/,
    );
    expect(toHtml('![x](https://example.org/p.png)')).not.toContain('<img');
  });

  it('marks code with its language, also while it grows', () => {
    expect(toHtml('```ts\nlet a = 1 < 2;\n```')).toContain('<code>let a = 1 &lt; 2;</code>');
    expect(toHtml('```ts\nlet a')).toContain('<span class="code-language">ts</span>');
    expect(readFence('```ts\nlet a')).toEqual({ text: 'let a', language: 'ts', isOpen: true });
    expect(readFence('```ts\nlet a\n```\n\n')).toEqual({ text: 'let a', language: 'ts', isOpen: false });
    expect(readFence('```\na\n```\ntext behind')).toBeUndefined();
    expect(readFence('text')).toBeUndefined();
  });

  it('says of a code block what the parser says', () => {
    const marked = new Marked();
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '', '  b', '``', '~~~', '````', '```'), { maxLength: 8 }), (lines) => {
        const block = ['```js', ...lines].join('\n');
        const fence = readFence(block);
        if (fence === undefined) return;
        const [token] = marked.lexer(block);
        const end = /\n+$/;
        expect([token?.type, token?.raw.trimEnd()]).toEqual(['code', block.trimEnd()]);
        expect(token && 'text' in token && token.text.replace(end, '')).toBe(fence.text.replace(end, ''));
      }),
      { numRuns: 1_000 },
    );
  });

  it('does not hang on, or fail of, texts that are made to hurt', () => {
    const texts = [
      '>'.repeat(20_000),
      '['.repeat(20_000),
      '*a '.repeat(12_000),
      '`a'.repeat(12_000),
      '- '.repeat(10_000),
      '|'.repeat(20_000),
    ];
    for (const text of texts) {
      const startMs = performance.now();
      expect(toHtml(text).length).toBeGreaterThan(0);
      expectWithin(3_000, startMs);
    }
    expect(toHtml(`*a*${'x'.repeat(MAX_PARSED_CHARS)}`)).not.toContain('<em>');
    expect(toHtml(`\`\`\`\n${'x'.repeat(MAX_PARSED_CHARS)}`)).toContain('<code>');
  });
});
