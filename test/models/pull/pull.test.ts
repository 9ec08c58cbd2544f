import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openArtifact } from '../../../src/artifact/index.js';
import { convertCheckpoint } from '../../../src/convert/index.js';
import { commitOf, contentOf } from '../../support/hub/repository.js';
import { demoRepository, ggufRepository, llama, pullStage, qwen2 } from './support.js';

/** Hashes of the files of an artifact but for its manifest, which says where it is from. */
function hashesOf(directory: string): Record<string, string> {
  const names = readdirSync(directory).filter((name) => name !== 'manifest.json');
  return Object.fromEntries(
    names.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(directory, name)))
        .digest('hex'),
    ]),
  );
}

describe('a pull', () => {
  it('makes of safetensors the artifact that convert makes of the same files', async () => {
    const repository = demoRepository('org/demo-chat');
    await using at = await pullStage([repository]);
    const pulled = await at.pull('org/demo-chat');
    expect(pulled).toMatchObject({
      outcome: 'new',
      repo: 'org/demo-chat',
      revision: commitOf(repository),
      quant: undefined,
    });
    expect(pulled.model).toMatchObject({ name: 'org_demo-chat', isFile: false });
    const twin = join(at.modelsDir, 'twin');
    await convertCheckpoint({ source: join(process.cwd(), 'assets/demo'), out: twin });
    expect(hashesOf(pulled.model.path)).toEqual(hashesOf(twin));
    await using artifact = await openArtifact(pulled.model.path);
    expect(artifact.manifest.id).toBe('org/demo-chat');
    expect(await at.store.originOf(pulled.model)).toMatchObject({
      repo: 'org/demo-chat',
      revision: commitOf(repository),
      license: 'apache-2.0',
    });
  });

  it('takes nothing but data of known names', async () => {
    await using at = await pullStage([demoRepository('org/demo-chat')]);
    await at.pull('org/demo-chat');
    const asked = at.server.seen.flatMap(({ url }) => /\/resolve\/[0-9a-f]+\/(.+)$/.exec(url)?.[1] ?? []);
    expect([...new Set(asked)].toSorted()).toEqual([
      'config.json',
      'generation_config.json',
      'model.safetensors',
      'tokenizer.json',
      'tokenizer_config.json',
    ]);
  });

  it('makes of a GGUF file the artifact that convert makes of it, and leaves nothing else', async () => {
    await using at = await pullStage([
      ggufRepository('org/tiny-GGUF', { 'tiny.Q4_0.gguf': llama, 'tiny.Q8_0.gguf': qwen2 }),
    ]);
    const pulled = await at.pull('org/tiny-GGUF');
    expect(pulled).toMatchObject({ outcome: 'new', quant: 'Q4_0' });
    expect(at.events).toContainEqual({ kind: 'note', text: 'org/tiny-GGUF has no Q4_K_M; Q4_0 is the nearest to it' });
    const twin = join(at.modelsDir, 'twin');
    await convertCheckpoint({ source: join(process.cwd(), 'test/vectors/gguf/llama-q4_0.gguf'), out: twin });
    expect(hashesOf(pulled.model.path)).toEqual(hashesOf(twin));
    expect((await readdir(at.modelsDir)).toSorted()).toEqual(['org_tiny-GGUF', 'twin']);
  });

  it('asks for a file with spaces, signs and accents by a path that is encoded', async () => {
    const path = 'dossier é/tiny model+v2 [100%] (été)#1?.Q4_0.gguf';
    await using at = await pullStage([ggufRepository('org/odd-GGUF', { [path]: llama })]);
    expect(await at.pull('org/odd-GGUF')).toMatchObject({ outcome: 'new', quant: 'Q4_0' });
    const asked = at.server.seen.flatMap(({ url }) => /\/resolve\/[0-9a-f]+\/(.+)$/.exec(url)?.[1] ?? []);
    expect(asked.map(decodeURIComponent)).toContain(path);
    expect(asked.join('')).toMatch(/^[\w%./!'()*~-]+$/);
  });

  it('finds a quant again by each name that it was asked by', async () => {
    await using at = await pullStage([
      ggufRepository('org/tiny-GGUF', { 'tiny-fp16.gguf': llama, 'tiny-UD-Q4_K_XL.gguf': qwen2 }),
    ]);
    expect((await at.pull('org/tiny-GGUF:fp16')).model.name).toBe('org_tiny-GGUF@F16');
    expect((await at.pull('org/tiny-GGUF:ud-q4_k_xl')).model.name).toBe('org_tiny-GGUF@UD-Q4_K_XL');
    const names = ['f16', 'FP16', 'fp16.gguf', 'UD-Q4_K_XL', 'ud-q4_k_xl'];
    const found = await Promise.all(names.map(async (name) => (await at.store.find(`org/tiny-GGUF:${name}`))?.name));
    const [f16, mix] = ['org_tiny-GGUF@F16', 'org_tiny-GGUF@UD-Q4_K_XL'];
    expect(found).toEqual([f16, f16, f16, mix, mix]);
  });

  it('keeps a quant that was asked for under its own name, in whatever case it was written', async () => {
    await using at = await pullStage([
      ggufRepository('org/tiny-GGUF', { 'tiny.Q4_0.gguf': llama, 'tiny.Q8_0.gguf': qwen2 }),
    ]);
    expect((await at.pull('org/tiny-GGUF:q8_0')).model.name).toBe('org_tiny-GGUF@Q8_0');
    expect((await at.store.find('org/tiny-GGUF:Q8_0'))?.name).toBe('org_tiny-GGUF@Q8_0');
    await expect(at.pull('org/tiny-GGUF:q8_1')).rejects.toMatchObject({
      code: 'pull_quant_missing',
      message: 'org/tiny-GGUF has no quant Q8_1; it has Q4_0, Q8_0. Did you mean org/tiny-GGUF:Q8_0?',
    });
  });

  it('converts safetensors to a quant that was asked for', async () => {
    await using at = await pullStage([demoRepository('org/demo-chat')]);
    const pulled = await at.pull('org/demo-chat:q4');
    expect(pulled.model.name).toBe('org_demo-chat@Q4');
    await using artifact = await openArtifact(pulled.model.path);
    expect(artifact.manifest.quant).toBe('q4');
  });

  it('says that a model is current, and updates one whose revision moved', async () => {
    const repository = ggufRepository('org/tiny-GGUF', { 'tiny.Q4_0.gguf': llama });
    await using at = await pullStage([repository]);
    await at.pull('org/tiny-GGUF');
    expect(await at.pull('org/tiny-GGUF')).toMatchObject({ outcome: 'current', fetchedBytes: 0 });
    repository.files = new Map([['tiny.Q4_0.gguf', qwen2]]);
    const updated = await at.pull('org/tiny-GGUF');
    expect(updated).toMatchObject({ outcome: 'updated', revision: commitOf(repository) });
    await using artifact = await openArtifact(updated.model.path);
    expect(artifact.manifest.modelType).toBe('qwen2');
  });

  it('goes on where it was ended', async () => {
    const noise = contentOf(Buffer.concat([Buffer.from(llama.read(0, llama.sizeBytes))]));
    await using at = await pullStage([ggufRepository('org/tiny-GGUF', { 'tiny.Q4_0.gguf': noise })]);
    const stopping = new AbortController();
    at.server.plan = () => {
      stopping.abort(new Error('stopped'));
      return { cutAfter: 1000 };
    };
    await expect(at.pull('org/tiny-GGUF', { signal: stopping.signal })).rejects.toThrow('stopped');
    expect(await at.store.list()).toEqual([]);
    at.server.plan = () => undefined;
    expect((await at.pull('org/tiny-GGUF')).outcome).toBe('new');
  });

  it('is done once where two ask for it at the same time', async () => {
    await using at = await pullStage([ggufRepository('org/tiny-GGUF', { 'tiny.Q4_0.gguf': llama })]);
    const both = await Promise.all([at.pull('org/tiny-GGUF'), at.pull('org/tiny-GGUF')]);
    expect(both.map(({ outcome }) => outcome).toSorted()).toEqual(['current', 'new']);
    expect(at.server.sentBytes.get('tiny.Q4_0.gguf')).toBe(llama.sizeBytes);
  });

  it('converts again what was converted from bytes that were wrong', async () => {
    await using at = await pullStage([ggufRepository('org/tiny-GGUF', { 'tiny.Q4_0.gguf': llama })]);
    // Not in the header: the converter takes it.
    at.server.plan = ({ number }) => (number === 0 ? { flipAt: llama.sizeBytes - 100 } : undefined);
    const pulled = await at.pull('org/tiny-GGUF');
    const twin = join(at.modelsDir, 'twin');
    await convertCheckpoint({ source: join(process.cwd(), 'test/vectors/gguf/llama-q4_0.gguf'), out: twin });
    expect(hashesOf(pulled.model.path)).toEqual(hashesOf(twin));
  });

  it('says what it will take, and which quant would fit where this one does not', async () => {
    await using at = await pullStage([
      ggufRepository('org/tiny-GGUF', { 'tiny.Q8_0.gguf': llama, 'tiny.Q4_K_M.gguf': qwen2 }),
    ]);
    await at.pull('org/tiny-GGUF:q8_0', { budgetBytes: 1 });
    const plan = at.events.find((event) => event.kind === 'plan');
    expect(plan).toMatchObject({
      quant: 'Q8_0',
      estimate: { downloadBytes: llama.sizeBytes, fits: false, fittingQuant: undefined },
    });
  });

  it('refuses an architecture that is not known before most of it came', async () => {
    const bad = Buffer.from(llama.read(0, llama.sizeBytes));
    const place = bad.indexOf('llama', bad.indexOf('general.architecture') + 20);
    bad.write('lloma', place);
    await using at = await pullStage([ggufRepository('org/odd-GGUF', { 'odd.Q4_0.gguf': contentOf(bad) })]);
    await expect(at.pull('org/odd-GGUF')).rejects.toMatchObject({
      code: expect.stringMatching(/unsupported|config_invalid|checkpoint/),
    });
    expect(await at.store.list()).toEqual([]);
  });

  it.each([
    ['org/pickled', { 'pytorch_model.bin': contentOf('x'), 'config.json': contentOf('{}') }, /run code/],
    ['org/none', { 'README.md': contentOf('x') }, /neither GGUF/],
    ['org/part', { 'm.Q4_0-00001-of-00003.gguf': llama }, /1 of the 3 parts/],
    ['org/bare', { 'model.safetensors': contentOf('x') }, /no config.json/],
  ])('refuses %s by what it lacks', async (id, files, words) => {
    await using at = await pullStage([{ id, files: new Map(Object.entries(files)) }]);
    await expect(at.pull(id)).rejects.toMatchObject({ code: 'pull_no_weights', message: expect.stringMatching(words) });
  });
});
