// Names of models as hubs, users and clients may send them: what is a name, and that nothing else leaves the store.
import fc from 'fast-check';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, normalize, sep, win32 } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { codeOf } from '../../src/base/index.js';
import { directoryNameOf, isRepoId, openStore, parseModelId } from '../../src/store/index.js';

const parent = mkdtempSync(join(tmpdir(), 'model-names-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const refusal = (name: string, quant?: string): string | undefined => {
  try {
    directoryNameOf(name, quant);
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
};

describe('the directory of a model', () => {
  it.each([
    ['org/name', undefined, 'org_name'],
    ['Qwen/Qwen2.5-0.5B-Instruct-GGUF', 'q4_k_m', 'Qwen_Qwen2.5-0.5B-Instruct-GGUF@Q4_K_M'],
    ['a/b_c', undefined, 'a_b_c'],
    ['a_b/c', undefined, 'a_b_c'],
    ['model.Q4_1', undefined, 'model.Q4_1'],
    ['aux/model', undefined, 'aux_model'],
    ['unsloth/x', 'UD-Q4_K_XL', 'unsloth_x@UD-Q4_K_XL'],
  ])('of %s in %s is %s', (name, quant, directory) => {
    expect(directoryNameOf(name, quant)).toBe(directory);
  });

  const long = 'x'.repeat(97);
  it.each([
    '',
    '.',
    '..',
    '/',
    'a/',
    '/a',
    'a//b',
    'a/b/c',
    '../a',
    'a/..',
    'a/../b',
    './a',
    'a/.',
    '.hidden',
    'a/.git',
    'a.',
    'a/b.',
    'a-',
    '-a',
    'a--b',
    'a..b',
    'a b',
    'a\0',
    'a\n',
    'a\\b',
    'C:\\x',
    'C:x',
    'a:b',
    'a@b',
    'a*',
    'a?',
    'a|b',
    'a"b',
    '<a>',
    '~',
    '~/x',
    '$HOME',
    '%2e%2e',
    'con',
    'CON',
    'nul.txt',
    'com1',
    'LPT9.gguf',
    'demo',
    'DEMO',
    'x.lock',
    `gguf-${'0'.repeat(64)}-x`,
    'x.partial-0123456789ab',
    'x-00002-of-00003.gguf',
    long,
    `${long}/x`,
    'ａ/b',
    'а/b',
    'a\u0301',
    'é',
    'ﬁ',
    'a\u200bb',
    'a\u202eb',
    'ı',
    '\u212a',
    'a／b',
    'a∕b',
    '\ud800',
  ])('has no name %j', (name) => {
    expect(refusal(name)).toBe('name_invalid');
  });

  it.each(['', '..', 'a/b', 'Q4\0', '-Q4', 'latest', 'Q4_K_M/../..', 'x'.repeat(49)])('has no quant %j', (quant) => {
    expect(refusal('org/name', quant)).toBe('name_invalid');
  });
});

describe('an id', () => {
  it.each([
    ['org/name', { repo: 'org/name', name: 'org/name', quant: undefined, revision: undefined }],
    ['org/name:q8_0', { repo: 'org/name', name: 'org/name', quant: 'Q8_0', revision: undefined }],
    ['org/name:latest', { repo: 'org/name', name: 'org/name', quant: undefined, revision: undefined }],
    ['org/name@main', { repo: 'org/name', name: 'org/name', quant: undefined, revision: 'main' }],
    ['org/name@refs/pr/1:Q4_0', { repo: 'org/name', name: 'org/name', quant: 'Q4_0', revision: 'refs/pr/1' }],
    ['hf.co/org/name:Q4_0', { repo: 'org/name', name: 'org/name', quant: 'Q4_0', revision: undefined }],
    ['https://huggingface.co/org/name', { repo: 'org/name', name: 'org/name', quant: undefined, revision: undefined }],
    ['name:latest', { repo: undefined, name: 'name', quant: undefined, revision: undefined }],
  ])('%s is read', (id, parsed) => {
    expect(parseModelId(id)).toEqual(parsed);
  });

  it.each(['', ':', '@', 'a/b/c', '../x', '/etc/passwd', 'a b', 'x'.repeat(1000), 'a:b:c', 'a/b:../c'])(
    '%j names no model',
    (id) => {
      expect(parseModelId(id)).toBeUndefined();
      expect(isRepoId(id)).toBe(false);
    },
  );
});

describe('10,000 hostile names', () => {
  const pieces = fc.constantFrom(
    '..',
    '.',
    '/',
    '\\',
    '\0',
    '\n',
    '~',
    '%2e%2e',
    '%2f',
    'C:',
    'con',
    'nul',
    'aux.gguf',
    ':',
    '@',
    '*',
    '\u202e',
    '\u200b',
    'ａ',
    'а',
    'é',
    'e\u0301',
    '//',
    '\\\\host\\share',
    'a',
    'B',
    '_',
    '-',
    '--',
    '.lock',
    '.staging-1-0-',
    '.partial-0123456789ab',
    ' ',
    '.git',
    'demo',
    'Q4_K_M',
    'latest',
    '\ud800',
    '$(x)',
    '`x`',
    '|',
    '<',
    '"',
    "'",
  );
  const names = fc.oneof(
    fc.array(pieces, { minLength: 1, maxLength: 8 }).map((all) => all.join('')),
    fc.array(pieces, { minLength: 1, maxLength: 5 }).map((all) => all.join('/')),
    fc.string({ unit: 'binary', maxLength: 40 }),
  );

  it('become no path that leaves the store, on any system, and no hidden or foreign name', () => {
    let taken = 0;
    fc.assert(
      fc.property(names, fc.option(names, { nil: undefined, freq: 1 }), (name, quant) => {
        let directory: string;
        try {
          directory = directoryNameOf(name, quant);
        } catch (error) {
          expect(codeOf(error)).toBe('name_invalid');
          return;
        }
        taken++;
        expect(directory).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]*(@[A-Z0-9._-]+)?$/);
        expect(normalize(join(parent, directory))).toBe(parent + sep + directory);
        expect(win32.normalize(win32.join('C:\\models', directory))).toBe(`C:\\models\\${directory}`);
        expect(directory).not.toMatch(/[. ]$/);
      }),
      { numRuns: 10_000, seed: 34 },
    );
    // Some of them are names, or the test would hold for a function that refuses all.
    expect(taken).toBeGreaterThan(20);
  });

  it('find nothing, and a store writes nothing for them', async () => {
    const models = join(parent, 'models');
    mkdirSync(models);
    mkdirSync(join(parent, 'outside'));
    const store = openStore(models);
    await fc.assert(
      fc.asyncProperty(names, async (name) => {
        expect(await store.find(name)).toBeUndefined();
        expect(await store.remove(name)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
    expect(readdirSync(parent).toSorted()).toEqual(['models', 'outside']);
    expect(readdirSync(models)).toEqual([]);
  });
});
