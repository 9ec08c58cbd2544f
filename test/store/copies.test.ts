// Copies of models and their removal: what a copy replaces stays until the copy is whole.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  promises,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { openArtifact } from '../../src/artifact/index.js';
import { openStore, type Build, type Store } from '../../src/store/index.js';

const demo = join(process.cwd(), 'dist/demo');
const gguf = join(process.cwd(), 'test/vectors/gguf/llama-q4_0.gguf');
const root = mkdtempSync(join(tmpdir(), 'copies-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let models = '';
let store: Store;
let numStores = 0;
beforeEach(() => {
  models = join(root, `models-${numStores++}`);
  store = openStore(models);
});

const fromDemo: Build = ({ artifact }) => {
  cpSync(demo, artifact, { recursive: true });
  return Promise.resolve();
};
const names = async (): Promise<string[]> => (await store.list()).map(({ name }) => name);
const hidden = (): string[] => readdirSync(models).filter((name) => name.startsWith('.'));
const manifestOf = (name: string): { id: string } =>
  JSON.parse(readFileSync(join(models, name, 'manifest.json'), 'utf8')) as { id: string };

describe('copies and removals', () => {
  it('copy an artifact without taking room, and remove either alone', async () => {
    const from = await store.place({ repo: 'org/name', revision: '1' }, fromDemo);
    const copy = await store.copy(from, 'mine:v2');
    expect(copy.name).toBe('mine@V2');
    expect((await store.find('mine:v2'))?.name).toBe('mine@V2');
    const weights = (model: string): number => statSync(join(models, model, 'weights.bin')).ino;
    expect(weights('mine@V2')).toBe(weights('org_name'));
    expect((await store.remove('org/name'))?.name).toBe('org_name');
    expect(await names()).toEqual(['mine@V2']);
    await using artifact = await openArtifact(copy.path);
    await artifact.verifyWeights();
    expect(hidden()).toEqual([]);
  });

  it('are found by the name of the copy, and by no other of the same directory, with an organisation too', async () => {
    const from = await store.place({ repo: 'demo/tiny', revision: '1' }, fromDemo);
    await store.copy(from, 'mine/copy');
    await store.copy(from, 'mine/other:v2');
    const found = async (id: string): Promise<string | undefined> => (await store.find(id))?.name;
    expect(await found('mine/copy')).toBe('mine_copy');
    expect(await found('mine_copy')).toBe('mine_copy');
    expect(await found('mine/copy:latest')).toBe('mine_copy');
    expect(await found('mine/other:v2')).toBe('mine_other@V2');
    expect(await found('demo/tiny')).toBe('demo_tiny');
    expect(await found('mine/tiny')).toBeUndefined();
    // What a hub has under this name would lie in the same directory as demo/tiny.
    expect(await found('demo_tiny/x')).toBeUndefined();
    expect((await store.remove('mine/copy'))?.name).toBe('mine_copy');
    expect(await names()).toEqual(['demo_tiny', 'mine_other@V2']);
  });

  it('copy and remove a file with its parts', async () => {
    mkdirSync(models);
    for (const part of [1, 2]) cpSync(gguf, join(models, `big-0000${part}-of-00002.gguf`));
    const from = await store.find('big');
    if (from === undefined) throw new Error('it is there');
    expect((await store.copy(from, 'copy')).name).toBe('copy-00001-of-00002.gguf');
    expect(readdirSync(models).filter((name) => name.startsWith('copy'))).toHaveLength(2);
    await store.remove('big');
    expect(readdirSync(models)).toEqual(['copy-00001-of-00002.gguf', 'copy-00002-of-00002.gguf']);
  });

  it('refuse a name that is taken, unless it may be replaced', async () => {
    const from = await store.place({ repo: 'org/name' }, fromDemo);
    await store.place({ name: 'mine' }, fromDemo);
    await expect(store.copy(from, 'mine')).rejects.toMatchObject({ code: 'name_taken' });
    await expect(store.copy(from, 'MINE')).rejects.toMatchObject({ code: 'name_taken' });
    await expect(store.copy(from, 'org/name', { mayReplace: true })).rejects.toMatchObject({ code: 'name_taken' });
    await expect(store.copy(from, '../x')).rejects.toMatchObject({ code: 'name_invalid' });
    expect((await store.copy(from, 'mine', { mayReplace: true })).name).toBe('mine');
    expect(manifestOf('mine').id).toBe('org/name');
    expect(hidden()).toEqual([]);
  });

  const bytesOf = (name: string): string => readFileSync(join(models, name), 'utf8');
  /** GGUF files whose content does not matter here: `files` with what is in them. */
  const write = (content: string, ...files: string[]): void => {
    mkdirSync(models, { recursive: true });
    for (const name of files) writeFileSync(join(models, name), `${content} ${name}`);
  };
  const parts = (name: string, total: number): string[] =>
    Array.from({ length: total }, (_, at) => `${name}-0000${at + 1}-of-0000${total}.gguf`);
  const copyOver = async (from: string, to: string): Promise<string> => {
    const model = (await store.find(from)) ?? expect.fail(`${from} is there`);
    return (await store.copy(model, to, { mayReplace: true })).name;
  };

  it.each<[string, string[], string[]]>([
    ['a file over a file', ['new.gguf'], ['old.gguf']],
    ['a file over parts', ['new.gguf'], parts('old', 3)],
    ['parts over a file', parts('new', 2), ['old.gguf']],
    ['parts over as many', parts('new', 2), parts('old', 2)],
    ['parts over more', parts('new', 2), parts('old', 3)],
    ['a file over one in another case', ['new.gguf'], ['OLD.gguf']],
  ])('put %s, and nothing of the old stays', async (_, made, old) => {
    write('new', ...made);
    write('old', ...old);
    await expect(store.copy((await store.find('new')) ?? expect.fail('it is there'), 'old')).rejects.toMatchObject({
      code: 'name_taken',
    });
    expect(await copyOver('new', 'old')).toBe(made[0]?.replace('new', 'old'));
    const copies = made.map((name) => name.replace('new', 'old'));
    expect(readdirSync(models)).toEqual([...made, ...copies].toSorted());
    expect(copies.map(bytesOf)).toEqual(made.map((name) => `new ${name}`));
  });

  it('put a file over an artifact, and an artifact over a file', async () => {
    await store.place({ name: 'first' }, fromDemo);
    write('new', 'second.gguf');
    expect(await copyOver('second', 'first')).toBe('first.gguf');
    await store.place({ name: 'third' }, fromDemo);
    expect(await copyOver('third', 'first')).toBe('first');
    expect(readdirSync(models)).toEqual(['first', 'second.gguf', 'third']);
  });

  it.each<[string, string[], string[]]>([
    ['a file', ['new.gguf'], ['old.gguf']],
    ['parts', parts('new', 2), parts('old', 2)],
    ['other parts', parts('new', 3), parts('old', 2)],
  ])('leave %s as it was where the new one cannot be made whole', async (_, made, old) => {
    write('new', ...made);
    write('old', ...old);
    const from = (await store.find('new')) ?? expect.fail('it is there');
    const reason = new Error('enough');
    // At each of its reports: before each file, and when all of them are there.
    for (let stopAt = 0; stopAt <= made.length; stopAt++) {
      const controller = new AbortController();
      let numReports = 0;
      const onProgress = (): void => {
        if (numReports++ === stopAt) controller.abort(reason);
      };
      const options = { mayReplace: true, signal: controller.signal, onProgress };
      await expect(store.copy(from, 'old', options)).rejects.toBe(reason);
      expect(old.map(bytesOf)).toEqual(old.map((name) => `old ${name}`));
      expect(readdirSync(models)).toEqual([...made, ...old].toSorted());
    }
    expect(hidden()).toEqual([]);
  });

  it('leave parts as they were where a rename fails, whichever it is', async () => {
    const [made, old] = [parts('new', 3), parts('old', 3)];
    write('new', ...made);
    write('old', ...old);
    const real = promises.rename;
    // Three old parts go aside, three new ones come in.
    for (let failAt = 0; failAt < 6; failAt++) {
      let numRenames = 0;
      promises.rename = async (from, to) => {
        const isOfParts = String(from).endsWith('.gguf');
        if (isOfParts && numRenames++ === failAt) throw Object.assign(new Error('EIO: injected'), { code: 'EIO' });
        await real(from, to);
      };
      syncBuiltinESMExports();
      try {
        await expect(copyOver('new', 'old')).rejects.toMatchObject({ code: 'io_failed' });
      } finally {
        promises.rename = real;
        syncBuiltinESMExports();
      }
      expect(readdirSync(models)).toEqual([...made, ...old].toSorted());
      expect(old.map(bytesOf)).toEqual(old.map((name) => `old ${name}`));
    }
  });

  it('remove a link and not what it leads to', async () => {
    mkdirSync(models);
    const elsewhere = join(root, 'elsewhere');
    cpSync(demo, elsewhere, { recursive: true });
    symlinkSync(elsewhere, join(models, 'linked'));
    await store.remove('linked');
    expect(readdirSync(models)).toEqual([]);
    expect(existsSync(join(elsewhere, 'weights.bin'))).toBe(true);
  });

  it('keep open models usable', async () => {
    const { path } = await store.place({ repo: 'org/name' }, fromDemo);
    await using artifact = await openArtifact(path);
    await store.remove('org/name');
    expect(existsSync(path)).toBe(false);
    await artifact.verifyWeights();
  });
});
