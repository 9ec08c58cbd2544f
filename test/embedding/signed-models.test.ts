import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine, type EngineOptions } from '../../src/index.js';
import { signArtifact } from '../../src/signing/index.js';
import { createSigner } from '../signing/signed-artifact.js';

const parent = mkdtempSync(join(tmpdir(), 'signed-models-'));
const at = (...names: string[]): string => join(parent, ...names);
const [signer, stranger] = [createSigner(), createSigner()];
const common: EngineOptions = { threads: 1, modelsDir: at('models'), cacheDir: at('cache'), trustDir: at('trust') };
const required: EngineOptions = { ...common, requireSigned: true, trustedKeys: [signer.key] };
const gguf = join(process.cwd(), 'test/vectors/gguf/llama-q4_0.gguf');

beforeAll(async () => {
  for (const name of ['unsigned', 'signed', 'theirs']) cpSync('dist/demo', at('models', name), { recursive: true });
  await signArtifact(at('models', 'signed'), { seed: signer.seed, trustDir: at('signers') });
  await signArtifact(at('models', 'theirs'), { seed: stranger.seed, trustDir: at('theirs') });
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const load = async (options: EngineOptions, name: string) => {
  await using engine = await createEngine(options);
  await using model = await engine.load(name);
  const { choices } = await model.chat({
    messages: [{ role: 'user', content: 'What is 12 + 30?' }],
    temperature: 0,
    max_tokens: 8,
  });
  return { signature: model.signature, content: choices[0]?.message.content };
};

describe('createEngine', () => {
  it('loads every model whose signature holds, and says who signed it', async () => {
    const { content, signature } = await load(common, 'unsigned');
    expect(signature).toEqual({ state: 'unsigned', keys: [], revision: undefined });
    const theirs = { state: 'unknown', keys: [stranger.key], revision: 1 };
    expect(await load(common, 'theirs')).toEqual({ content, signature: theirs });
    const trusted = { state: 'trusted', keys: [signer.key], revision: 1 };
    expect(await load({ ...common, trustedKeys: [signer.key] }, 'signed')).toEqual({ content, signature: trusted });
  });

  it('with requireSigned loads what a trusted key signed, and refuses the rest before anything is made of it', async () => {
    expect((await load(required, 'signed')).signature.state).toBe('trusted');
    const upper = { ...required, trustedKeys: [stranger.key, signer.key.toUpperCase()] };
    expect((await load(upper, 'theirs')).signature.state).toBe('trusted');
    await expect(load(required, 'unsigned')).rejects.toMatchObject({ code: 'signature_missing' });
    await expect(load(required, 'demo')).rejects.toMatchObject({ code: 'signature_missing' });
    await expect(load(required, 'theirs')).rejects.toMatchObject({ code: 'signature_untrusted' });
    for (const importGguf of ['cache', 'memory'] as const) {
      await expect(load({ ...required, importGguf }, gguf)).rejects.toMatchObject({
        code: 'signature_missing',
        message: expect.stringContaining('is a GGUF file, which can carry no signature'),
      });
    }
    expect(existsSync(at('cache', 'models'))).toBe(false);
  });

  it('refuses a signed model that was changed, whatever it requires, also when it is loaded again', async () => {
    cpSync(at('models', 'signed'), at('models', 'again'), { recursive: true });
    await using engine = await createEngine(common);
    await using model = await engine.load('again');
    await engine.unload('again');
    const weights = at('models', 'again', 'weights.bin');
    const bytes = readFileSync(weights);
    bytes[100_000] = (bytes[100_000] as number) ^ 1;
    writeFileSync(weights, bytes);
    const ask = model.chat({ messages: [{ role: 'user', content: 'hi' }], max_tokens: 2 });
    await expect(ask).rejects.toMatchObject({ code: 'signature_invalid' });
    await expect(load(common, 'again')).rejects.toMatchObject({ code: 'signature_invalid' });
    await expect(load(required, 'again')).rejects.toMatchObject({ code: 'signature_invalid' });
  });

  it.each<[string, EngineOptions, RegExp]>([
    ['no key', { requireSigned: true }, /requireSigned needs trustedKeys/],
    ['an empty list', { requireSigned: true, trustedKeys: [] }, /requireSigned needs trustedKeys/],
    ['a malformed key', { trustedKeys: [signer.key, 'ff'] }, /trustedKeys is "ff"/],
    [
      'a malformed key where some is right',
      { requireSigned: true, trustedKeys: [signer.key, ''] },
      /trustedKeys is empty/,
    ],
    ['a text', { trustedKeys: signer.key as unknown as string[] }, /must be an array of public keys/],
    ['numbers', { trustedKeys: [7] as unknown as string[] }, /must be an array of public keys/],
    ['a word for a flag', { requireSigned: 'yes' as unknown as boolean }, /requireSigned is "yes"/],
  ])('refuses %s', async (_, options, says) => {
    await expect(createEngine({ ...common, ...options })).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringMatching(says),
    });
  });
});
