// ARCHITECTURE.md and the README of each module: their length, their words, and that what they name is there.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countWords, readLinks, readParagraphs, readSentences } from '../docs/prose.js';
import { allowedImports, compositionRoots } from './architecture-rules.js';
import { findAddingCosts, readCostTable } from './adding-costs.js';
import { listFiles, listModules } from './source-tree.js';

const MAX_ARCHITECTURE_LINES = 350;
const MIN_README_LINES = 20;
const MAX_README_LINES = 80;
const MAX_WORDS = 25;
const MAX_GLOSSARY = 10;

const read = (path: string): string => readFileSync(join(process.cwd(), path), 'utf8');
const lineCount = (text: string): number => text.trimEnd().split('\n').length;
const modules = listModules();
const files = ['src', 'kernels-as', 'test', 'bench', 'proto', 'docs'].flatMap((folder) => listFiles(folder, ''));
const architecture = read('ARCHITECTURE.md');

/** Rows of the table below a heading, without its head. */
function rowsBelow(heading: string): string[] {
  const section = architecture.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return section.split('\n').filter((line) => line.startsWith('| ') && !/^\| (?:word|package) \|/.test(line));
}

/** Files and folders in backquotes that a text names, and that are nowhere: in the module, in `src` or below it. */
function missingNames(text: string, folder: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '');
  const names = [...prose.matchAll(/`([\w.@/-]+(?:\.(?:ts|tsx|mjs|css|js)|\/))`/g)].map(([, name = '']) => name);
  return names.filter((name) => {
    const isFolder = name.endsWith('/');
    const bare = name.replace(/^(?:\.\.\/)+/, '').replace(/\/$/, '');
    if ([folder, 'src', '.'].some((root) => existsSync(join(root, bare)))) return false;
    // Of another module, whose name stands beside it; or built, as `bench/actor/messages.js` is of its `.ts`.
    const source = bare.replace(/\.js$/, '.ts');
    return isFolder || !files.some((path) => path === source || path.endsWith(`/${source}`));
  });
}

const longSentences = (text: string): string[] =>
  readParagraphs(text)
    .flatMap(readSentences)
    .filter((sentence) => countWords(sentence) > MAX_WORDS);

describe('ARCHITECTURE.md', () => {
  it('can be read at once', () => {
    expect(lineCount(architecture)).toBeLessThanOrEqual(MAX_ARCHITECTURE_LINES);
    expect(longSentences(architecture)).toEqual([]);
  });

  it('names files and folders that are there', () => {
    expect(missingNames(architecture, 'src')).toEqual([]);
  });

  it('has every module on its map once, with its README', () => {
    const linked = readLinks(architecture).filter((target) => /^src\/[\w/-]+\/README\.md$/.test(target));
    const onMap = [...architecture.matchAll(/^\| \[([\w/-]+)\]\(src\/([\w/-]+)\/README\.md\) \|/gm)];
    expect(onMap.map(([, name = '']) => name).toSorted()).toEqual(modules.toSorted());
    expect(onMap.filter(([, name, folder]) => name !== folder)).toEqual([]);
    expect(new Set(linked)).toEqual(new Set(modules.map((name) => `src/${name}/README.md`)));
  });

  it('says of every package of the product why it is one', () => {
    const manifest = JSON.parse(read('package.json')) as Record<'dependencies' | 'peerDependencies', object>;
    const rows = rowsBelow('Dependencies').map((row) => row.split('|').map((cell) => cell.trim()));
    const reasons = new Map(rows.map(([, name = '', why = '']) => [name.replace(' (optional peer)', ''), why]));
    const packages = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)];
    expect([...reasons.keys()].toSorted()).toEqual(packages.toSorted());
    expect([...reasons].filter(([, why]) => why.length < 15)).toEqual([]);
  });

  it('explains ten words at most', () => {
    const count = rowsBelow('Glossary').length;
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThanOrEqual(MAX_GLOSSARY);
  });

  it('counts the files of each addition to a registry as the code has them', () => {
    const costs = readCostTable(architecture);
    expect(costs.length).toBeGreaterThanOrEqual(10);
    expect(findAddingCosts(costs.map(({ registry }) => registry))).toEqual(costs);
  });
});

describe.each([...modules.map((name) => `src/${name}`), 'kernels-as'])('%s/README.md', (folder) => {
  const path = join(folder, 'README.md');
  const text = existsSync(path) ? read(path) : '';

  it('stands beside the code and has a page of text', () => {
    expect(lineCount(text)).toBeGreaterThanOrEqual(MIN_README_LINES);
    expect(lineCount(text)).toBeLessThanOrEqual(MAX_README_LINES);
    expect(text.split('\n')[0]).toBe(`# ${folder.replace('src/', '')}`);
  });

  it('has short sentences', () => {
    expect(longSentences(text)).toEqual([]);
  });

  it('names files and folders that are there', () => {
    expect(missingNames(text, folder)).toEqual([]);
  });

  it('says what the module may import, as the rules have it', () => {
    const module = folder.replace('src/', '');
    const allowed = allowedImports[module];
    if (allowed === undefined) {
      expect(folder === 'kernels-as' || compositionRoots.includes(module)).toBe(true);
      return;
    }
    const sentence = /may import:((?:\s+`[\w/-]+`[,.])+)/.exec(text)?.[1] ?? '';
    expect([...sentence.matchAll(/`([\w/-]+)`/g)].map(([, name]) => name)).toEqual(allowed);
  });
});

describe('the checks', () => {
  it('find names that are nowhere, and long sentences', () => {
    expect(missingNames('`schema/`, `nowhere.ts`, `nowhere/` and `index.ts`', 'src/gateway/config')).toEqual([
      'nowhere.ts',
      'nowhere/',
    ]);
    expect(longSentences(`${'word '.repeat(26)}.`)).toHaveLength(1);
    expect(longSentences(`${'word '.repeat(25)}.`)).toEqual([]);
  });
});
