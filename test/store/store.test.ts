// The models directory as processes write it: what is there is whole, and one model is never taken for another.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { openArtifact } from '../../src/artifact/index.js';
import { openStore, type Build, type Store } from '../../src/store/index.js';

const demo = join(process.cwd(), 'dist/demo');
const gguf = join(process.cwd(), 'test/vectors/gguf/llama-q4_0.gguf');
const root = mkdtempSync(join(tmpdir(), 'store-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let models = '';
let store: Store;
let count = 0;
beforeEach(() => {
  models = join(root, `models-${count++}`);
  store = openStore(models);
});

const fromDemo: Build = ({ artifact }) => {
  cpSync(demo, artifact, { recursive: true });
  return Promise.resolve();
};
const never: Build = () => Promise.reject(new Error('nothing should have been made'));
const names = async (): Promise<string[]> => (await store.list()).map(({ name }) => name);
const hidden = (): string[] => readdirSync(models).filter((name) => name.startsWith('.'));
const manifestOf = (name: string): { id: string; source: Record<string, unknown> } =>
  JSON.parse(readFileSync(join(models, name, 'manifest.json'), 'utf8')) as ReturnType<typeof manifestOf>;

describe('a model that is placed', () => {
  it('is listed when it is whole and not before, and says where it is from', async () => {
    const origin = { repo: 'org/name', revision: 'a'.repeat(40), ref: 'main', license: 'mit' };
    const placed = await store.place(origin, async (staging) => {
      expect(readdirSync(models).filter((name) => !name.startsWith('.'))).toEqual([]);
      writeFileSync(join(staging.directory, 'download'), 'half of it');
      await fromDemo(staging);
      expect(await names()).toEqual([]);
      expect(await store.find('org/name')).toBeUndefined();
    });
    expect(placed).toMatchObject({ name: 'org_name', path: join(models, 'org_name'), isFile: false });
    expect(hidden()).toEqual([]);
    expect(await store.originOf(placed)).toMatchObject({ ...origin, isAskedQuant: false, quant: undefined });
    expect(manifestOf('org_name')).toMatchObject({
      id: 'org/name',
      source: { format: 'safetensors', repo: 'org/name' },
    });
    await using artifact = await openArtifact(placed.path);
    await artifact.verifyWeights();
  });

  it.each([
    'org/name',
    'org/name:latest',
    'org_name',
    'org_name:latest',
    'org/name@main',
    `org/name@${'a'.repeat(7)}`,
    'hf.co/org/name',
  ])('is found as %s', async (id) => {
    await store.place({ repo: 'org/name', revision: 'a'.repeat(40), ref: 'main' }, fromDemo);
    expect((await store.find(id))?.name).toBe('org_name');
  });

  it('in a quant that was asked for stands beside the other, and each is found by its own', async () => {
    await store.place({ repo: 'org/name', quant: 'Q4_K_M' }, fromDemo);
    await store.place({ repo: 'org/name', quant: 'q8_0', isAskedQuant: true }, fromDemo);
    expect(await names()).toEqual(['org_name', 'org_name@Q8_0']);
    expect(manifestOf('org_name@Q8_0').id).toBe('org/name:Q8_0');
    const found = async (id: string): Promise<string | undefined> => (await store.find(id))?.name;
    expect(await found('org/name')).toBe('org_name');
    expect(await found('org/name:q8_0')).toBe('org_name@Q8_0');
    expect(await found('org_name@Q8_0')).toBe('org_name@Q8_0');
    // What the first pull took by itself.
    expect(await found('org/name:Q4_K_M')).toBe('org_name');
    expect(await found('org/name:Q6_K')).toBeUndefined();
    expect(await found('org/name@main')).toBeUndefined();
  });

  it('leaves nothing behind where its making fails, or is ended', async () => {
    const failing: Build = ({ artifact }) => {
      mkdirSync(artifact);
      return Promise.reject(new Error('the network is gone'));
    };
    await expect(store.place({ repo: 'org/name' }, failing)).rejects.toThrow('the network is gone');
    await expect(store.place({ repo: 'org/name' }, () => Promise.resolve())).rejects.toMatchObject({
      code: 'artifact_not_found',
    });
    const control = new AbortController();
    const late: Build = async (staging) => {
      await fromDemo(staging);
      control.abort(new Error('enough'));
    };
    await expect(store.place({ repo: 'org/name' }, late, { signal: control.signal })).rejects.toThrow('enough');
    const extra: Build = async (staging) => {
      await fromDemo(staging);
      writeFileSync(join(staging.artifact, 'extra'), '');
    };
    await expect(store.place({ repo: 'org/name' }, extra)).rejects.toMatchObject({ code: 'artifact_corrupt' });
    expect(readdirSync(models)).toEqual([]);
  });

  it('replaces an older revision of its repository, and keeps it where the new one fails', async () => {
    await store.place({ repo: 'org/name', revision: '1' }, fromDemo);
    const isCurrent = (asked: string) => (origin: { revision: string | undefined }) => origin.revision === asked;
    await store.place({ repo: 'org/name', revision: '1' }, never, { isCurrent: isCurrent('1') });
    await expect(store.place({ repo: 'org/name', revision: '2' }, never)).rejects.toThrow('nothing should');
    expect(manifestOf('org_name').source['revision']).toBe('1');
    await store.place({ repo: 'org/name', revision: '2' }, fromDemo, { isCurrent: isCurrent('2') });
    expect(manifestOf('org_name').source['revision']).toBe('2');
    expect(readdirSync(models)).toEqual(['org_name']);
  });

  it('replaces one that this version cannot read any more', async () => {
    await store.place({ repo: 'org/name' }, fromDemo);
    const path = join(models, 'org_name', 'manifest.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"packingVersion": 1', '"packingVersion": 2'));
    await store.place({ repo: 'org/name' }, fromDemo);
    await using artifact = await openArtifact(join(models, 'org_name'));
    expect(artifact.manifest.packingVersion).toBe(1);
  });
});

describe('a name that is taken', () => {
  it('by another repository is refused with both before anything is made, and neither is found for the other', async () => {
    await store.place({ repo: 'a/b_c' }, fromDemo);
    await expect(store.place({ repo: 'a_b/c' }, never)).rejects.toMatchObject({
      code: 'name_taken',
      message: expect.stringMatching(/a_b\/c would be kept as a_b_c .* a\/b_c, which has the same name/) as string,
    });
    expect((await store.find('a/b_c'))?.name).toBe('a_b_c');
    expect(await store.find('a_b/c')).toBeUndefined();
    expect((await store.find('a_b_c'))?.name).toBe('a_b_c');
  });

  it.each([
    ['a directory that is no model', () => mkdirSync(join(models, 'org_name'), { recursive: true })],
    ['a model of the user', () => cpSync(demo, join(models, 'org_name'), { recursive: true })],
    ['a name in another case', () => cpSync(demo, join(models, 'Org_Name'), { recursive: true })],
    ['a file', () => cpSync(gguf, join(models, 'org_name'))],
  ])('by %s is refused', async (_, make) => {
    make();
    await expect(store.place({ repo: 'org/name' }, never)).rejects.toMatchObject({ code: 'name_taken' });
    expect(hidden()).toEqual([]);
  });

  it('by a model of this machine is replaced only where that is wanted', async () => {
    await store.place({ name: 'mine' }, fromDemo);
    await expect(store.place({ name: 'mine' }, never)).rejects.toMatchObject({ code: 'name_taken' });
    await store.place({ name: 'mine', mayReplace: true }, fromDemo);
    expect(await names()).toEqual(['mine']);
  });
});

describe('what dead processes left', () => {
  const DEAD = '.staging-4194305-0-0123456789ab';
  const leave = (...parts: readonly [name: string, make: (path: string) => void][]): string => {
    const path = join(models, DEAD);
    mkdirSync(path, { recursive: true });
    for (const [name, make] of parts) make(join(path, name));
    return path;
  };
  const model = (path: string): void => cpSync(demo, path, { recursive: true });
  const text = (content: string) => (path: string) => writeFileSync(path, content);

  it('is removed and said, and what a living one makes stays', async () => {
    leave(['artifact', model]);
    writeFileSync(join(models, '.model-x.lock'), JSON.stringify({ host: 'x', pid: 1 }));
    await store.place({ repo: 'org/name' }, async (staging) => {
      const swept = await store.sweep();
      expect(swept).toEqual([
        { kind: 'removed', name: undefined, path: join(models, DEAD), bytes: expect.any(Number) as number },
      ]);
      expect(swept[0]?.bytes).toBeGreaterThan(1_000_000);
      await fromDemo(staging);
    });
    expect(await store.sweep()).toEqual([]);
    expect(await names()).toEqual(['org_name']);
  });

  it('in the middle of a replacement is finished where the new model is whole', async () => {
    leave(['artifact', model], ['replaced', model], ['place', text('org_name')]);
    expect(await store.sweep()).toMatchObject([{ kind: 'finished', name: 'org_name' }]);
    expect(readdirSync(models)).toEqual(['org_name']);
  });

  it('in the middle of a replacement is taken back where it is not', async () => {
    leave(['replaced', model], ['place', text('org_name')]);
    expect(await store.sweep()).toMatchObject([{ kind: 'restored', name: 'org_name' }]);
    expect(await names()).toEqual(['org_name']);
  });

  it('in the middle of replacing the parts of a file is finished, wherever it died', async () => {
    const files = [1, 2, 3].map((part) => `x-0000${part}-of-00003.gguf`);
    const put = (directory: string, which: readonly string[], content: string): void => {
      mkdirSync(directory, { recursive: true });
      for (const name of which) writeFileSync(join(directory, name), `${content} ${name}`);
    };
    // Moves in their order: the old ones away from the first on, the new ones in from the last on.
    for (let moves = 0; moves < 6; moves++) {
      const away = files.slice(0, Math.min(moves, 3));
      const placed = files.slice(3 - Math.max(0, moves - 3), 3);
      rmSync(models, { recursive: true, force: true });
      const path = leave(['files', text(files.join('\0'))]);
      put(models, files.slice(away.length), 'old');
      put(models, placed, 'new');
      put(join(path, 'aside'), away, 'old');
      put(join(path, 'artifact'), files.slice(0, 3 - placed.length), 'new');
      expect(await store.sweep()).toMatchObject([{ kind: 'finished', name: files[0] }]);
      expect(readdirSync(models)).toEqual(files);
      expect(files.map((name) => readFileSync(join(models, name), 'utf8'))).toEqual(files.map((name) => `new ${name}`));
    }
  });

  it.each(['../x.gguf', 'x', '.x.gguf', 'a/b.gguf', 'x.gguf\0'])('is never put at the file %j', async (name) => {
    const path = leave(['files', text(name)]);
    mkdirSync(join(path, 'artifact'));
    writeFileSync(join(path, 'artifact', 'x.gguf'), 'new');
    expect(await store.sweep()).toMatchObject([{ kind: 'removed', name: undefined }]);
    expect(readdirSync(models)).toEqual([]);
  });

  it.each(['../outside', '.hidden', '', 'a/b', '..', 'x\0'])('is never put at %j', async (place) => {
    leave(['replaced', model], ['place', text(place)]);
    expect(await store.sweep()).toMatchObject([{ kind: 'removed', name: undefined }]);
    expect(readdirSync(models)).toEqual([]);
    expect(existsSync(join(root, 'outside'))).toBe(false);
  });

  it('is never put over a model that is there', async () => {
    await store.place({ repo: 'org/name', revision: 'new' }, fromDemo);
    const path = leave(['replaced', model], ['place', text('org_name')]);
    await store.sweep();
    expect(existsSync(path)).toBe(false);
    expect(manifestOf('org_name').source['revision']).toBe('new');
  });

  it('does not hide a model that is being replaced', async () => {
    await store.place({ repo: 'org/name' }, fromDemo);
    let isDone = false;
    const looking = (async () => {
      let numLooks = 0;
      for (; !isDone; numLooks++) expect((await store.find('org/name'))?.name).toBe('org_name');
      return numLooks;
    })();
    for (let i = 0; i < 20; i++) await store.place({ repo: 'org/name', revision: String(i) }, fromDemo);
    isDone = true;
    expect(await looking).toBeGreaterThan(20);
  });
});
