// Documents for readers: short sentences and paragraphs, links that lead somewhere, the field's words.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forbiddenWords } from './forbidden-words.js';
import { listModules } from '../repo/source-tree.js';
import { countWords, proseFaults, readAnchors, readLinks, readParagraphs, readSentences } from './prose.js';

const root = process.cwd();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const lineCount = (path: string): number => read(path).trimEnd().split('\n').length;
const pagesOf = (folder: string): readonly string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);
const log = pagesOf('bench/log');
const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'kernels-as/README.md',
  ...listModules().map((name) => `src/${name}/README.md`),
  ...pagesOf('docs'),
  ...log,
];
/** Documents that are being rewritten and are not held to prose and words yet; their links are. */
const notYetHeld: readonly string[] = [];
const held = documents.filter((path) => !notYetHeld.includes(path));

const texts = held.map((path) => ({ path, text: read(path) }));

describe.each(texts)('$path', ({ text }) => {
  it('has no sentence over 40 words, no paragraph over 8 lines and no endless line', () => {
    expect(proseFaults(text)).toEqual([]);
  });

  it('uses the words of the field', () => {
    // A link's target may have an old word.
    const prose = readParagraphs(text).flatMap(({ line, lines }) =>
      lines.map((written, i) => ({ line: line + i, written: written.replace(/`[^`]*`|\]\([^)]*\)/g, '') })),
    );
    const wrong = [...forbiddenWords].flatMap(([pattern, word]) =>
      prose.filter(({ written }) => pattern.test(written)).map(({ line, written }) => `${line}: ${word}: ${written}`),
    );
    expect(wrong).toEqual([]);
  });
});

it.each(documents)('the links of %s lead to files and headings that exist', (path) => {
  const broken = readLinks(read(path)).filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [file = '', anchor] = target.split('#');
    const to = file === '' ? path : relative(root, join(root, dirname(path), file));
    if (!existsSync(join(root, to))) return true;
    return anchor !== undefined && !readAnchors(read(to)).has(anchor);
  });
  expect(broken).toEqual([]);
});

it('README.md and CONTRIBUTING.md have at most 150 lines each', () => {
  for (const path of ['README.md', 'CONTRIBUTING.md']) expect(lineCount(path), path).toBeLessThanOrEqual(150);
});

it('the bench log has at most 600 lines, and its first page links to every other', () => {
  expect(log.length).toBeGreaterThan(10);
  expect(log.reduce((sum, path) => sum + lineCount(path), 0)).toBeLessThanOrEqual(600);
  const linked = readLinks(read('bench/log/README.md'));
  const others = log.map((path) => path.slice('bench/log/'.length)).filter((name) => name !== 'README.md');
  expect(others.filter((name) => !linked.includes(name))).toEqual([]);
});

describe('the check of prose', () => {
  it('finds long sentences, long paragraphs and long lines, outside of code and tables', () => {
    const words = Array.from({ length: 41 }, () => 'word').join(' ');
    const broken = words.replaceAll(' word word', ' word\nword');
    const code = `\`\`\`\n${words}\n\`\`\`\n\n| ${words} |\n`;
    expect(proseFaults(`${code}\n${words.slice(5)}.\n${'a.\n'.repeat(7)}`)).toEqual([
      'line 7: a line of 200 characters',
    ]);
    expect(proseFaults(broken)[0]).toMatch(/^line 1: a sentence of 41 words/);
    expect(proseFaults('a.\n'.repeat(9))).toEqual(['line 1: a paragraph of 9 lines']);
    expect(proseFaults('- a.\n'.repeat(9))).toEqual([]);
    expect(() => proseFaults('```\n')).toThrow(/not closed/);
  });

  it('ends sentences at full stops, not inside of code, links or numbers', () => {
    const [paragraph] = readParagraphs('- See [a. b](c.md). It costs 1.5 `x. y`!\n  Right? **Yes.** No');
    expect(paragraph && readSentences(paragraph)).toEqual([
      'See [a.',
      'b].',
      'It costs 1.5 code!',
      'Right?',
      '**Yes.**',
      'No',
    ]);
    expect(countWords('a – b, c')).toBe(3);
  });

  it('knows the anchors that GitHub makes', () => {
    expect([...readAnchors('# A `b` & c\n## A\n```\n# no\n```\n## A\n')]).toEqual(['a-b--c', 'a', 'a-1']);
    expect(readLinks('[a](b.md#c) `[x](y)`\n```\n[d](e)\n```\n![f](g.svg)')).toEqual(['b.md#c', 'g.svg']);
  });
});
