import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import * as checks from './repo/architecture-checks.js';
import { findLongSentences } from './repo/comment-sentences.js';
import { listFiles, readSourceTree, type SourceText } from './repo/source-tree.js';

// Fewer files than the first modules have: the check would be looking at the wrong place.
const MIN_FILES = 30;

describe('src', () => {
  let files: SourceText[] = [];
  let everything: SourceText[] = [];

  beforeAll(() => {
    everything = readSourceTree(['src', 'test']);
    files = everything.filter(({ path }) => path.startsWith('src/'));
  });

  it('was seen by these checks, with its imports', () => {
    expect(files.length).toBeGreaterThanOrEqual(MIN_FILES);
    expect(files.flatMap(({ imports }) => imports).length).toBeGreaterThanOrEqual(MIN_FILES);
  });

  it('has a entry for every module', () => {
    const modules = new Set(files.map(({ path }) => checks.moduleOf(path)).filter((module) => module !== ''));
    const entries = new Set(files.map(({ path }) => path));
    expect(
      [...modules].filter((module) => !['bin', 'cli'].includes(module) && !entries.has(`src/${module}/index.ts`)),
    ).toEqual([]);
  });

  it('has no import between modules that the table does not allow', () => {
    expect(checks.findWrongImports(files)).toEqual([]);
  });

  it('has every import between modules that the table allows', () => {
    expect(checks.findUnusedAllowances(files)).toEqual([]);
  });

  it("has no import past a module's entry", () => {
    expect(checks.findImportsPastEntries(files)).toEqual([]);
  });

  it('imports only files that are there', () => {
    expect(checks.findMissingTargets(files)).toEqual([]);
  });

  it('has no cycle of files and none of modules', () => {
    expect(checks.findCycles(files, (path) => path)).toEqual([]);
    expect(checks.findCycles(files, (path) => checks.moduleOf(path) || path)).toEqual([]);
  });

  it('lists every file of a registry in its index.ts', () => {
    expect(checks.findUnlisted(files)).toEqual([]);
  });

  it('has no name that says nothing', () => {
    expect(checks.findEmptyNames(files)).toEqual([]);
  });

  it('declares an exported name in one module only, or says why not', () => {
    expect(checks.findRepeatedNames(files)).toEqual([]);
  });

  it('has no sentence over 25 words in a comment', () => {
    expect(files.flatMap(({ path, text }) => findLongSentences(path, text))).toEqual([]);
  });

  it('has no short file that only one file of its folder uses, without a reason', () => {
    expect(checks.findSmallParts(files)).toEqual([]);
  });

  it('has no comment that cites a document from elsewhere, or has a word of its own for what the field names', () => {
    const documents = [...listFiles('docs', '.md'), ...listFiles('bench', '.md')].map((path) => basename(path));
    // gguf.md is ggml's, the public description of the format.
    const known = [
      ...documents,
      'README.md',
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'SOURCE.md',
      'gguf.md',
    ];
    const kernels = listFiles('kernels-as', '.ts').map((path) => ({ path, text: readFileSync(path, 'utf8') }));
    const offences = [...files, ...kernels].flatMap(({ path, text }) => checks.findForeignWords(path, text, known));
    expect(offences).toEqual([]);
  });

  it('reads the environment, prints and exits only in cli', () => {
    expect(checks.findProcessUse(files)).toEqual([]);
  });

  it('takes time and timers from the clock of base alone, or says why not', () => {
    expect(checks.findClockUse(files)).toEqual([]);
  });

  it('has no any, no non-null assertion, no enum, no default export and no silenced check, nor have the tests', () => {
    expect(checks.findForbiddenSyntax(everything)).toEqual([]);
  });
});
