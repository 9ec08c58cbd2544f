import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadProgress } from '../../src/artifact/index.js';
import { createModelLibrary, demoDirectory, findModel, locateModel } from '../../src/models/index.js';
import { createEngine } from '../../src/index.js';

const gguf = join(process.cwd(), 'test/vectors/gguf/llama-q4_0.gguf');
const parent = mkdtempSync(join(tmpdir(), 'locate-'));
const modelsDir = join(parent, 'models');
const cacheDir = join(parent, 'cache');

beforeAll(() => {
  mkdirSync(modelsDir);
  copyFileSync(gguf, join(modelsDir, 'Tiny.GGUF'));
  cpSync(demoDirectory(), join(modelsDir, 'org_story'), { recursive: true });
  cpSync(demoDirectory(), join(modelsDir, 'deep/er'), { recursive: true });
  symlinkSync('nowhere', join(modelsDir, 'dangling.gguf'));
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

describe('a model', () => {
  it.each([
    ['demo', demoDirectory(), false],
    ['Tiny', join(modelsDir, 'Tiny.GGUF'), true],
    ['Tiny.gguf', join(modelsDir, 'Tiny.GGUF'), true],
    ['org/story', join(modelsDir, 'org_story'), false],
    ['deep/er', join(modelsDir, 'deep/er'), false],
    [gguf, gguf, true],
    [relative(process.cwd(), gguf), relative(process.cwd(), gguf), true],
    [modelsDir, modelsDir, false],
  ])('%s is found', async (name, path, isFile) => {
    expect(await findModel(name, modelsDir)).toMatchObject({ path, isFile });
  });

  it('of the models directory is the same for the library, which also reads paths, and for the server', async () => {
    const acquire = (): Promise<never> => Promise.reject(new Error('no test opens it'));
    const host = { modelsDir, cacheDir, acquire, letGo: () => {} };
    await using library = createModelLibrary({ host, howToList: 'ask' });
    const listed = await library.list();
    expect(listed.map(({ name }) => name)).toEqual(['demo', 'Tiny.GGUF', 'org_story']);
    for (const { name, path } of listed) expect((await findModel(name, modelsDir)).path).toBe(path);
    for (const path of ['deep/er', gguf, modelsDir]) {
      await expect(library.find(path)).rejects.toMatchObject({ code: 'model_not_found' });
    }
  });

  it('in a file is imported into the cache directory, and nothing is written where it lies', async () => {
    const before = readdirSync(modelsDir);
    const place = await locateModel('Tiny', { modelsDir, cacheDir });
    expect(place.startsWith(join(cacheDir, 'models', 'gguf-'))).toBe(true);
    expect(readdirSync(modelsDir)).toEqual(before);
  });

  it.each([
    ['./nothere.gguf', /^there is no model \.\/nothere\.gguf: no file and no directory is at this path$/],
    ['tinny', /^there is no model "tinny": .*models. Did you mean Tiny\.GGUF\?$/],
    ['org/storry', /^there is no model org\/storry: .*Did you mean org_story\?$/],
    [join(modelsDir, 'tiny.gguf'), /Did you mean .*models.Tiny\.GGUF\?$/],
    [join(modelsDir, 'dangling.gguf'), /is a link to a missing file$/],
    ['dmo', /Did you mean demo\?$/],
    [join(gguf, 'below'), /llama-q4_0\.gguf.below: no file and no directory is at this path/],
    ['', /^there is no model ""/],
    ['x'.repeat(5000), /^there is no model "xxx/],
  ])('%.40s that is not there is reported as it was typed, with near names', async (name, message) => {
    const error: unknown = await findModel(name, modelsDir).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'artifact_not_found', message: expect.stringMatching(message) });
    expect(error).not.toMatchObject({ message: expect.stringContaining('manifest.json') });
  });

  it.each([
    [undefined, /there is no models directory, since there is no home \(pass --models-dir/],
    [join(parent, 'none'), /none in the models directory .*none, which cannot be listed: it is not there$/],
    [gguf, /which cannot be listed: a file is where a directory should be$/],
  ])('that is nowhere, with the models directory %s', async (directory, message) => {
    await expect(findModel('nothing-like-it', directory)).rejects.toThrow(message);
    expect(await findModel('demo', directory)).toMatchObject({ path: demoDirectory(), isFile: false });
  });
});

describe('an engine', () => {
  it('tells the progress of a load in its phases, also to those who share it', async () => {
    await using engine = await createEngine({ threads: 1, modelsDir, cacheDir: join(parent, 'fresh') });
    const [first, second]: LoadProgress[][] = [[], []];
    await Promise.all([
      engine.load('Tiny', { onProgress: (progress) => first?.push(progress) }),
      engine.load('Tiny', { onProgress: (progress) => second?.push(progress) }),
    ]);
    for (const seen of [first ?? [], second ?? []]) {
      const phases = [...new Set(seen.map(({ phase }) => phase))];
      // One of them converts and loads; the other may find it loaded.
      expect(['hash', 'convert', 'load'].slice(0, phases.length)).toEqual(phases);
      expect(seen.every(({ doneBytes, totalBytes }) => doneBytes <= totalBytes)).toBe(true);
    }
    const done = [first?.at(-1), second?.at(-1)].find((progress) => progress?.phase === 'load');
    expect(done).toEqual({ phase: 'load', doneBytes: done?.totalBytes, totalBytes: done?.totalBytes });
  });

  it('ends the load of a caller whose onProgress throws, and no other', async () => {
    await using engine = await createEngine({ threads: 1, modelsDir, cacheDir });
    const reason = new Error('enough');
    const onProgress = (): never => {
      throw reason;
    };
    const [failed, loaded] = await Promise.allSettled([engine.load('demo', { onProgress }), engine.load('demo')]);
    expect(failed).toEqual({ status: 'rejected', reason });
    expect(loaded.status).toBe('fulfilled');
    await expect(engine.load('Tiny', { onProgress })).rejects.toBe(reason);
  });

  it('answers from the demo where nothing can be written and there is no model', async () => {
    writeFileSync(join(parent, 'file'), '');
    const nowhere = join(parent, 'file', 'below');
    await using engine = await createEngine({ threads: 1, modelsDir: nowhere, cacheDir: nowhere });
    await using model = await engine.load('demo');
    const messages = [{ role: 'user' as const, content: 'What is 12 + 30?' }];
    expect((await model.chat({ messages, temperature: 0 })).choices[0]?.message.content).toBe('42');
    await expect(engine.load(gguf)).rejects.toMatchObject({ code: 'cache_unwritable' });
  });

  it('unloads what is in memory though its directory is gone, and knows what it does not have', async () => {
    const gone = join(parent, 'gone');
    cpSync(demoDirectory(), gone, { recursive: true });
    await using engine = await createEngine({ threads: 1, modelsDir: parent, cacheDir });
    await engine.load('gone');
    rmSync(gone, { recursive: true });
    expect(await engine.unload('gone')).toBe(true);
    expect(await engine.unload('gone')).toBe(false);
    expect(await engine.unload('nobody')).toBe(false);
  });

  it.each([{ cacheDir: '' }, { cacheDir: 5 }, { modelsDir: '' }, { modelsDir: 'a\0b' }])(
    'refuses %j',
    async (options) => {
      await expect(createEngine(options as never)).rejects.toMatchObject({ code: 'invalid_option' });
    },
  );
});
