import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findStoredModel, listEntries, listModels, whyNotListed } from '../../src/store/index.js';

const demo = join(process.cwd(), 'dist/demo');
const gguf = join(process.cwd(), 'test/vectors/gguf/llama-q4_0.gguf');
const parent = mkdtempSync(join(tmpdir(), 'models-directory-'));
const models = join(parent, 'models');

beforeAll(() => {
  mkdirSync(models);
  for (const name of ['artifact', 'directory.gguf', 'org_name', '.hidden', `gguf-${'0'.repeat(64)}-1.1.1`])
    cpSync(demo, join(models, name), { recursive: true });
  for (const name of ['Upper.GGUF', 'lower.gguf', 'parts-00001-of-00002.gguf', 'parts-00002-of-00002.gguf'])
    cpSync(gguf, join(models, name));
  mkdirSync(join(models, 'no-model'));
  mkdirSync(join(models, 'artifact.partial-0123456789ab'));
  writeFileSync(join(models, 'notes.txt'), '');
  symlinkSync('nowhere', join(models, 'dangling.gguf'));
  symlinkSync('itself', join(models, 'itself'));
  symlinkSync(gguf, join(models, 'link.gguf'));
  symlinkSync(demo, join(models, 'linked'));
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

describe('a models directory', () => {
  it('lists artifacts and GGUF files, by links too, and nothing else', async () => {
    const found = await listModels(models);
    expect(found.map(({ name, isFile }) => [name, isFile])).toEqual([
      ['Upper.GGUF', true],
      ['artifact', false],
      ['directory.gguf', false],
      ['link.gguf', true],
      ['linked', false],
      ['lower.gguf', true],
      ['org_name', false],
      ['parts-00001-of-00002.gguf', true],
    ]);
  });

  it('also lists what has the name of a model and cannot be read, where that is asked for', async () => {
    const unreadable = (await listEntries(models)).filter(({ changedMs }) => changedMs === undefined);
    expect(unreadable.map(({ name, isFile }) => [name, isFile])).toEqual([
      ['dangling.gguf', true],
      ['itself', false],
    ]);
  });

  it.each([
    ['artifact', 'artifact'],
    ['lower', 'lower.gguf'],
    ['lower.GGUF', 'lower.gguf'],
    ['Upper', 'Upper.GGUF'],
    ['Upper.gguf', 'Upper.GGUF'],
    ['org/name', 'org_name'],
    ['directory', 'directory.gguf'],
    ['parts', 'parts-00001-of-00002.gguf'],
    ['parts-00002-of-00002.gguf', 'parts-00001-of-00002.gguf'],
  ])('finds %s as %s', async (id, name) => {
    expect((await findStoredModel(models, id))?.name).toBe(name);
  });

  it.each(['upper', 'ARTIFACT', 'no-model', 'notes.txt', 'dangling', 'itself', '.hidden', '..', '', 'x/../artifact'])(
    'has no %j',
    async (id) => {
      expect(await findStoredModel(models, id)).toBeUndefined();
    },
  );

  it.each([
    ['is not there', 'none', 'it is not there'],
    ['is a file', 'models/notes.txt', 'a file is where a directory should be'],
    ['is a link to nowhere', 'models/dangling.gguf', 'it is not there'],
    ['is a link to itself', 'models/itself', 'its links lead back to themselves, or there are too many'],
  ])('that %s has no models, and why is said', async (_, path, why) => {
    expect(await listModels(join(parent, path))).toEqual([]);
    expect(await findStoredModel(join(parent, path), 'artifact')).toBeUndefined();
    expect(await whyNotListed(join(parent, path))).toBe(why);
  });

  it('that can be listed has no reason why not', async () => {
    expect(await whyNotListed(models)).toBeUndefined();
  });
});
