import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openArtifact, type LoadProgress } from '../../src/artifact/index.js';
import { convertCheckpoint, importGguf, shapes, type Notice } from '../../src/convert/index.js';
import { workOf } from '../../src/convert/import-places.js';
import { parseModelConfig } from '../../src/model/index.js';
import { identityOf } from '../../src/store/index.js';
import { openTokenizer } from '../../src/tokenizer/index.js';
import {
  listParts,
  openGguf,
  packedMatrixBytes,
  repackers,
  unpackMatrix,
  type GgufSource,
} from '../../src/weights/index.js';
import { fileTypes, writeShapeFile } from '../../bench/gguf/shape-file.js';
import { f32, list, text, u32, type TypedValue } from '../../bench/gguf/gguf-writer.js';
import { failWrites } from '../support/failing-writes.js';
import { openInMemory } from '../../src/convert/open-in-memory.js';
import { expectedTensors, type ExpectedTensor } from './expected-tensors.js';
import { oneLayer } from './one-layer.js';

const vectors = join(process.cwd(), 'test/vectors/gguf');
const llama = join(vectors, 'llama-q4_0.gguf');
const qwen2 = join(vectors, 'qwen2-q8_0.gguf');

let parent = '';
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'gguf-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const GGUF_NAMES: Readonly<Record<string, string>> = {
  'model.embed_tokens': 'token_embd',
  'model.norm': 'output_norm',
  lm_head: 'output',
  input_layernorm: 'attn_norm',
  post_attention_layernorm: 'ffn_norm',
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
};

/** The GGUF name of a weight, spelled out apart from the converter's own table. */
function ggufName(name: string): string {
  const [, layer, part = '', kind] = /^(?:model\.layers\.(\d+)\.)?(.+)\.(weight|bias)$/.exec(name) ?? [];
  const own = `${GGUF_NAMES[part]}.${kind}`;
  return layer === undefined ? own : `blk.${layer}.${own}`;
}

/** Row by row what the weight table asks for, straight from the file: the slow twin of the converter. */
async function expectedRows(
  { tensor: stored, spec, rows }: ExpectedTensor,
  gguf: GgufSource,
  headDim: number,
  isLlama: boolean,
): Promise<Float32Array> {
  const values = new Float32Array(stored.rows * stored.columns);
  for (const { row, tensor, start: i } of rows) {
    const name = ggufName(tensor);
    // llama.cpp's rope turns neighbours: dimension j of the first half is stored at 2j, of the second at 2j + 1.
    const place = i % headDim;
    const turned = place < headDim / 2 ? 2 * place : 2 * (place - headDim / 2) + 1;
    const from = isLlama && /attn_[qk]\./.test(name) ? i - place + turned : i;
    const first = from * spec.columns + stored.columnStart;
    await gguf.readFloats(name, first, stored.columns, values.subarray(row * stored.columns));
  }
  return values;
}

async function expectLossless(source: string): Promise<void> {
  const out = join(parent, 'artifact');
  await convertCheckpoint({ source, out });
  await using artifact = await openArtifact(out);
  await using gguf = await openGguf(source);
  await artifact.verifyWeights();
  const config = parseModelConfig(artifact.manifest.config);
  for (const [index, expected] of expectedTensors(config).entries()) {
    const { tensor: spec } = expected;
    const entry = artifact.manifest.tensors[index];
    if (entry === undefined) throw new Error(`no tensor ${spec.name}`);
    const bytes = new Uint8Array(entry.sizeBytes);
    await artifact.readTensor(entry, bytes);
    const want = await expectedRows(expected, gguf, config.headDim, config.modelType === 'llama');
    const got =
      spec.kind === 'vector'
        ? new Float32Array(bytes.buffer, 0, spec.rows)
        : unpackMatrix(entry.quant, bytes, spec.rows, spec.columns);
    const wrong = want.findIndex((value, i) => value !== got[i]);
    if (wrong >= 0) expect.fail(`${spec.name} ${wrong}: ${got[wrong]} instead of ${want[wrong]}`);
    const dtype = gguf.tensors.get(ggufName(expected.spec.sources[0]?.tensor ?? ''))?.dtype ?? '';
    expect(entry.quant).toBe(spec.kind === 'vector' ? 'f32' : repackers.get(dtype)?.quant);
    if (spec.kind === 'matrix') expect(bytes.length).toBe(packedMatrixBytes(entry.quant, spec.rows, spec.columns));
  }
}

const tiny = { ...shapes['0.5b'], vocab_size: 300, hidden_size: 64, intermediate_size: 96, num_hidden_layers: 2 };
const tinyHeads = { ...tiny, num_attention_heads: 4, num_key_value_heads: 2 };
/** So wide that what goes down is stored in panels. */
const wide = { ...tinyHeads, intermediate_size: 3104, num_hidden_layers: 1 };

describe('converting GGUF', () => {
  it.each([llama, qwen2])('keeps every weight of %s, bit for bit, rows in their order', (file) => expectLossless(file));

  it.each(Object.keys(fileTypes) as (keyof typeof fileTypes)[])(
    'keeps every weight of a shape file in %s',
    async (type) => {
      for (const model_type of ['llama', 'qwen2']) {
        const source = join(parent, `${model_type}.gguf`);
        await writeShapeFile(source, { ...tinyHeads, model_type, tie_word_embeddings: model_type === 'qwen2' }, type);
        await expectLossless(source);
        rmSync(join(parent, 'artifact'), { recursive: true });
      }
      const source = join(parent, 'wide.gguf');
      await writeShapeFile(source, wide, type);
      await expectLossless(source);
      await using artifact = await openArtifact(join(parent, 'artifact'));
      const panels = artifact.manifest.tensors.filter(({ name }) => name.startsWith('layers.0.down'));
      expect(panels.map(({ columns }) => columns)).toEqual([1792, 1312]);
    },
  );

  it('requantises what the caller asks for', async () => {
    const summary = await convertCheckpoint({ source: qwen2, out: join(parent, 'a'), quant: 'q4' });
    expect(summary).toMatchObject({ id: 'qwen2-q8_0', modelType: 'qwen2', quant: 'q4', notices: [] });
  });

  it('writes config, template, tokens and stop ids', async () => {
    await convertCheckpoint({ source: llama, out: join(parent, 'a') });
    await using artifact = await openArtifact(join(parent, 'a'));
    const { manifest } = artifact;
    expect(manifest).toMatchObject({
      id: 'llama-q4_0',
      modelType: 'llama',
      quant: 'q4',
      source: { format: 'gguf', name: 'llama-q4_0.gguf', types: 'F32 5, Q4_0 15, Q8_0 1' },
      config: { hidden_size: 64, head_dim: 16, num_key_value_heads: 2, vocab_size: 387, tie_word_embeddings: false },
      generation: { stopTokenIds: [315, 313] },
      chat: { bosToken: '<|endoftext|>', eosToken: '<|im_end|>' },
    });
    expect(manifest.chat.template).toContain('<|im_start|>');
    expect(manifest.files.map(({ path }) => path)).toEqual([
      'chat_template.jinja',
      'config.json',
      'tokenizer.bin',
      'vocabulary.bin',
      'weights.bin',
    ]);
  });

  it('tokenizes as the checkpoint that the file was made of, but for what its normalizer does', async () => {
    await convertCheckpoint({ source: llama, out: join(parent, 'a') });
    await using artifact = await openArtifact(join(parent, 'a'));
    const tokenizer = openTokenizer(await artifact.readFile('tokenizer.bin'));
    const path = join(process.cwd(), 'test/vectors/models/tokenizer.expected.json');
    const { cases } = JSON.parse(readFileSync(path, 'utf8')) as { cases: { text: string; ids: number[] }[] };
    const normal = cases.filter(({ text: each }) => each === each.normalize('NFC'));
    expect(normal.length).toBeGreaterThan(cases.length - 3);
    for (const { text: each, ids } of normal) expect(tokenizer.encode(each), each).toEqual(ids);
  });
});

describe('a GGUF file of another kind', () => {
  const convert = async (file: Buffer) => {
    writeFileSync(join(parent, 'm.gguf'), file);
    return convertCheckpoint({ source: join(parent, 'm.gguf'), out: join(parent, 'out') });
  };

  it('begins a text as its metadata says', async () => {
    await convert(oneLayer());
    await using artifact = await openArtifact(join(parent, 'out'));
    const tokenizer = openTokenizer(await artifact.readFile('tokenizer.bin'));
    expect(tokenizer.encode('abba<s>')).toEqual([3, 2, 1, 0, 3]);
    expect(tokenizer.encode('ab', { addSpecialTokens: false })).toEqual([2]);
  });

  it("keeps the makers' recommendations for sampling", async () => {
    await convert(oneLayer({ 'general.sampling.temp': f32(0.6), 'general.sampling.top_k': u32(20) }));
    await using artifact = await openArtifact(join(parent, 'out'));
    expect(artifact.manifest.generation).toMatchObject({ temperature: 0.6, topK: 20 });
  });

  /** Stop ids of a file with these tokens, each of a type: 1 normal, 3 control, 4 defined by a user. */
  const stopIdsOf = async (
    tokens: readonly (readonly [string, number])[],
    change: Record<string, TypedValue | null> = {},
  ): Promise<readonly number[]> => {
    const named = {
      'tokenizer.ggml.tokens': list(tokens.map(([token]) => text(token))),
      'tokenizer.ggml.token_type': list(tokens.map(([, value]) => ({ type: 'i32' as const, value }))),
      'tokenizer.ggml.merges': list([]),
      'tokenizer.ggml.bos_token_id': null,
      'tokenizer.ggml.eos_token_id': u32(0),
      'tokenizer.ggml.add_bos_token': null,
    };
    await convert(oneLayer({ ...named, ...change }));
    await using artifact = await openArtifact(join(parent, 'out'));
    rmSync(join(parent, 'out'), { recursive: true });
    return artifact.manifest.generation.stopTokenIds;
  };

  it('ends answers at the tokens that it names, and at control tokens whose text says so', async () => {
    const ids = { eot: 2, eom: 3 };
    const keys = Object.entries(ids).map(([name, id]) => [`tokenizer.ggml.${name}_token_id`, u32(id)]);
    expect(
      await stopIdsOf(
        [...'abcd'].map((token) => [token, 1]),
        Object.fromEntries(keys),
      ),
    ).toEqual([0, 2, 3]);
    for (const token of ['<end_of_turn>', '<|im_end|>', '<|eot_id|>', '<|end|>', '<|endoftext|>']) {
      expect(
        await stopIdsOf([
          ['a', 1],
          [token, 3],
        ]),
        token,
      ).toEqual([0, 1]);
      expect(
        await stopIdsOf([
          ['a', 1],
          [token, 1],
        ]),
        token,
      ).toEqual([0]);
    }
  });

  it('ends answers at a token that a user has defined where the template writes it, or the file has no types', async () => {
    const tokens = [
      ['a', 1],
      ['<|im_end|>', 4],
    ] as const;
    expect(await stopIdsOf(tokens)).toEqual([0]);
    expect(await stopIdsOf(tokens, { 'tokenizer.chat_template': text('x<|im_end|>') })).toEqual([0, 1]);
    expect(await stopIdsOf(tokens, { 'tokenizer.ggml.token_type': null })).toEqual([0, 1]);
  });

  it('goes on at <|end|> where <|return|> and <|call|> end an answer', async () => {
    const harmony = ['<|end|>', '<|return|>', '<|call|>'].map((token) => [token, 3] as const);
    expect(await stopIdsOf([['a', 1], ...harmony])).toEqual([0, 2]);
  });

  it('has the default of its templates, or the only one, or none', async () => {
    const templateOf = async (change: Record<string, TypedValue | null>): Promise<string | null> => {
      await convert(oneLayer(change));
      await using artifact = await openArtifact(join(parent, 'out'));
      rmSync(join(parent, 'out'), { recursive: true });
      return artifact.manifest.chat.template;
    };
    const named = (...names: string[]): Record<string, TypedValue> => ({
      'tokenizer.chat_templates': list(names.map(text)),
      ...Object.fromEntries(names.map((name) => [`tokenizer.chat_template.${name}`, text(`for ${name}`)])),
    });
    expect(await templateOf({})).toBe(null);
    expect(await templateOf({ 'tokenizer.chat_template': text('plain'), ...named('tool_use') })).toBe('plain');
    expect(await templateOf(named('tool_use'))).toBe('for tool_use');
    expect(await templateOf(named('rag', 'default'))).toBe('for default');
    expect(await templateOf(named('rag', 'tool_use'))).toBe(null);
  });

  it.each([
    ['a tokenizer of a kind that is not built', { 'tokenizer.ggml.model': text('bert') }, /bert; gpt2, llama and t5/],
    ['an unknown cut into words', { 'tokenizer.ggml.pre': text('zigzag') }, /"zigzag".*smollm/],
    ['no tokenizer', { 'tokenizer.ggml.tokens': null }, /no tokenizer\.ggml\.tokens/],
  ] as [string, Record<string, TypedValue | null>, RegExp][])(
    'with %s converts without one, and says so',
    async (_, change, why) => {
      const { notices } = await convert(oneLayer(change));
      expect(notices).toEqual([{ kind: 'no_tokenizer', text: expect.stringMatching(why) as string }]);
      await using artifact = await openArtifact(join(parent, 'out'));
      expect(artifact.manifest.files.map(({ path }) => path)).toEqual(['config.json', 'weights.bin']);
      expect(artifact.manifest.source['noTokenizer']).toMatch(why);
    },
  );

  it.each([
    [
      'an architecture of another family',
      oneLayer({ 'general.architecture': text('mamba') }),
      'unsupported_architecture',
    ],
    ['experts', oneLayer({ 'llama.expert_count': u32(8) }), 'unsupported_config'],
    ['longrope', oneLayer({ 'llama.rope.scaling.type': text('longrope') }), 'unsupported_config'],
    ['a rope over a part of the head', oneLayer({ 'llama.rope.dimension_count': u32(8) }), 'unsupported_config'],
    ['layers that differ', oneLayer({ 'llama.attention.head_count_kv': list([u32(1), u32(2)]) }), 'unsupported_config'],
    ['no number of layers', oneLayer({ 'llama.block_count': null }), 'checkpoint_invalid'],
    ['a number that is text', oneLayer({ 'llama.block_count': text('1') }), 'checkpoint_invalid'],
    ['parts', oneLayer({ 'split.count': u32(2) }), 'checkpoint_invalid'],
    ['no merges', oneLayer({ 'tokenizer.ggml.merges': null }), 'checkpoint_invalid'],
    [
      'more tokens than rows',
      oneLayer({ 'tokenizer.ggml.tokens': list([...'abcdefghijk', 'ab'].map(text)) }),
      'checkpoint_mismatch',
    ],
    ['blocks of a type that cannot be read', oneLayer({}, '', [], 'Q8_1'), 'unsupported_dtype'],
    ['no bytes at all', Buffer.alloc(0), 'checkpoint_invalid'],
    ['a weight too few', oneLayer({}, 'blk.0.ffn_up.weight'), 'checkpoint_mismatch'],
    ['a weight too many', oneLayer({}, '', ['blk.0.attn_sinks.weight']), 'checkpoint_mismatch'],
    ['no embedding', oneLayer({}, 'token_embd.weight'), 'checkpoint_invalid'],
    ['bytes that are no GGUF', Buffer.from('{}'), 'checkpoint_invalid'],
  ])('with %s is refused by its header, before it is hashed, and leaves nothing', async (_, file, code) => {
    await expect(convert(file)).rejects.toMatchObject({ code });
    expect(readdirSync(parent)).toEqual(['m.gguf']);
    const cacheDir = join(parent, 'cache');
    const seen: string[] = [];
    const onProgress = ({ phase }: LoadProgress): void => void seen.push(phase);
    await expect(importGguf({ file: join(parent, 'm.gguf'), cacheDir, onProgress })).rejects.toMatchObject({ code });
    expect([seen, readdirSync(cacheDir)]).toEqual([[], []]);
  });

  it('says which types become q8, at once and in the manifest', async () => {
    const { notices, quant } = await convert(oneLayer({}, '', [], 'IQ4_NL'));
    const requantised = 'stored as q8, 8.5 bits a weight: IQ4_NL (7 tensors): no kernel computes with this type';
    expect(notices).toEqual([{ kind: 'requantised', text: requantised }]);
    expect(quant).toBe('q8');
    await using artifact = await openArtifact(join(parent, 'out'));
    expect(artifact.manifest.source).toMatchObject({ requantised, types: 'F32 3, IQ4_NL 7, Q8_0 1' });
  });

  it('says nothing of the kind where a type is kept, or the caller chose', async () => {
    expect((await convert(oneLayer())).notices).toEqual([]);
    writeFileSync(join(parent, 'm.gguf'), oneLayer({}, '', [], 'IQ4_NL'));
    const asked = { source: join(parent, 'm.gguf'), out: join(parent, 'asked'), quant: 'q4' } as const;
    expect((await convertCheckpoint(asked)).notices).toEqual([]);
  });

  it('gives its notice before it is hashed, and a caller can end it there', async () => {
    const file = join(parent, 'm.gguf');
    writeFileSync(file, oneLayer({ 'tokenizer.ggml.model': text('bert') }));
    const seen: string[] = [];
    const onProgress = ({ phase }: LoadProgress): void => void seen.push(phase);
    const onNotice = (notice: Notice): never => {
      throw new Error(notice.text);
    };
    const asked = { file, cacheDir: join(parent, 'cache'), onProgress };
    await expect(importGguf({ ...asked, onNotice })).rejects.toThrow('model is bert');
    expect(seen).toEqual([]);
    await importGguf({ ...asked, onNotice: (notice) => seen.push(notice.text) });
    expect(seen[0]).toContain('model is bert');
    expect(new Set(seen.slice(1))).toEqual(new Set(['hash', 'convert']));
  });

  /** More tokens than are compiled on the thread that asks. */
  const many = Array.from({ length: 70_000 }, (_, id) => (id === 3 ? '<s>' : `t${id}`));
  const large = (tokens: readonly string[], rows = tokens.length): Buffer =>
    oneLayer(
      {
        'tokenizer.ggml.tokens': list(tokens.map(text)),
        'tokenizer.ggml.token_type': null,
        'tokenizer.ggml.merges': list([]),
      },
      '',
      [],
      'Q4_1',
      rows,
    );

  it.each([
    ['has more tokens than rows', () => large(many, many.length - 8), 'checkpoint_mismatch'],
    [
      'has text that is not UTF-8',
      () => {
        const file = large(many);
        file[file.indexOf('t69999')] = 0xff;
        return file;
      },
      'checkpoint_invalid',
    ],
  ])('a large vocabulary that %s is refused without a word, and leaves nothing', async (_, makeFile, code) => {
    const file = join(parent, 'm.gguf');
    writeFileSync(file, makeFile());
    const cacheDir = join(parent, 'cache');
    const seen: string[] = [];
    const onProgress = ({ phase }: LoadProgress): void => void seen.push(phase);
    await expect(importGguf({ file, cacheDir, onProgress })).rejects.toMatchObject({ code });
    // What its header rules out ends before there is a folder for models.
    const left = existsSync(join(cacheDir, 'models')) ? readdirSync(join(cacheDir, 'models')) : [];
    expect([seen, left.filter((name) => !name.endsWith('.lock'))]).toEqual([[], []]);
    await expect(convertCheckpoint({ source: file, out: join(parent, 'out') })).rejects.toMatchObject({ code });
    await expect(openInMemory(file)).rejects.toMatchObject({ code });
    expect(existsSync(join(parent, 'out'))).toBe(false);
  });

  it('a large vocabulary is compiled while weights are packed, to the same artifact', async () => {
    const file = join(parent, 'm.gguf');
    writeFileSync(file, large(many));
    const seen: string[] = [];
    const onProgress = ({ phase }: LoadProgress): void => void seen.push(phase);
    const place = await importGguf({ file, cacheDir: join(parent, 'cache'), onProgress });
    await convertCheckpoint({ source: file, out: join(parent, 'out') });
    for (const name of ['manifest.json', 'tokenizer.bin', 'weights.bin']) {
      expect(readFileSync(join(place, name)).equals(readFileSync(join(parent, 'out', name)))).toBe(true);
    }
    expect(new Set(seen)).toEqual(new Set(['hash', 'convert']));
  });
});

describe('importing GGUF', () => {
  const cache = (): string => join(parent, 'cache');
  const models = (): string => join(cache(), 'models');
  const workOn = async (file: string): Promise<string> => workOf(await identityOf(await listParts(file)), cache());
  const made = (): string[] => readdirSync(models()).filter((name) => !name.startsWith('.'));

  it('takes all parts of a model by any of them, once, and anew where one of them has changed', async () => {
    const name = (number: number): string => join(parent, `parted-0000${number}-of-00002.gguf`);
    const split = (number: number): Record<string, TypedValue> => ({ 'split.no': u32(number), 'split.count': u32(2) });
    const isLast = (tensor: string): boolean => tensor.startsWith('blk.0.ffn');
    writeFileSync(name(1), oneLayer(split(0), isLast));
    writeFileSync(
      name(2),
      oneLayer(split(1), (tensor) => !isLast(tensor)),
    );
    writeFileSync(join(parent, 'whole.gguf'), oneLayer());
    const [whole, first, second] = await Promise.all(
      [join(parent, 'whole.gguf'), name(1), name(2)].map(async (file) => importGguf({ file, cacheDir: cache() })),
    );
    expect(second).toBe(first);
    expect(first).not.toBe(whole);
    await using artifact = await openArtifact(first ?? '');
    expect(artifact.manifest.id).toBe('parted');
    await using expected = await openArtifact(whole ?? '');
    expect(artifact.manifest.weights).toEqual(expected.manifest.weights);
    const changed = oneLayer(split(1), (tensor) => !isLast(tensor));
    changed[changed.length - 1] = 1;
    writeFileSync(name(2), changed);
    expect(await importGguf({ file: name(1), cacheDir: cache() })).not.toBe(first);
  });

  it('converts once, under a digest of the file, whatever it is called', async () => {
    const first = await importGguf({ file: llama, cacheDir: cache() });
    expect(first).toMatch(/gguf-[0-9a-f]{64}-[\d.]+$/);
    const { ino } = statSync(first);
    copyFileSync(llama, join(parent, 'other.gguf'));
    expect(await importGguf({ file: join(parent, 'other.gguf'), cacheDir: cache() })).toBe(first);
    expect(statSync(first).ino).toBe(ino);
    expect(made()).toEqual([first.slice(models().length + 1)]);
  });

  it('writes nothing beside the file, and keeps digests with what it makes', async () => {
    const folder = join(parent, 'mine');
    mkdirSync(folder);
    copyFileSync(llama, join(folder, 'Model.GGUF'));
    await importGguf({ file: join(folder, 'Model.GGUF'), cacheDir: cache() });
    expect(readdirSync(folder)).toEqual(['Model.GGUF']);
    expect(readdirSync(cache()).toSorted()).toEqual(['digests', 'models']);
    await using artifact = await openArtifact(join(models(), made()[0] ?? ''));
    expect(artifact.manifest.id).toBe('Model');
  });

  it('tells how far it is: of the file while it is hashed, of the weights while they are written', async () => {
    const seen: LoadProgress[] = [];
    const place = await importGguf({ file: llama, cacheDir: cache(), onProgress: (progress) => seen.push(progress) });
    const of = (phase: string): LoadProgress[] => seen.filter((progress) => progress.phase === phase);
    expect(seen).toEqual([...of('hash'), ...of('convert')]);
    for (const [phase, file] of [
      ['hash', llama],
      ['convert', join(place, 'weights.bin')],
    ] as const) {
      const totalBytes = statSync(file).size;
      expect(of(phase)[0]).toEqual({ phase, doneBytes: 0, totalBytes });
      expect(of(phase).at(-1)).toEqual({ phase, doneBytes: totalBytes, totalBytes });
    }
    seen.length = 0;
    await importGguf({ file: llama, cacheDir: cache(), onProgress: (progress) => seen.push(progress) });
    expect(seen).toEqual([]);
  });

  it('makes again what something took a file of', async () => {
    const place = await importGguf({ file: llama, cacheDir: cache() });
    rmSync(join(place, 'tokenizer.bin'));
    expect(await importGguf({ file: llama, cacheDir: cache() })).toBe(place);
    await using artifact = await openArtifact(place);
    await artifact.verifyWeights();
  });

  it('refuses a file that changes while it is read', async () => {
    const file = join(parent, 'm.gguf');
    copyFileSync(llama, file);
    const onProgress = ({ phase }: LoadProgress): void => {
      if (phase === 'convert') utimesSync(file, new Date(0), new Date(0));
    };
    await expect(importGguf({ file, cacheDir: cache(), onProgress })).rejects.toMatchObject({
      code: 'checkpoint_invalid',
      message: expect.stringContaining('changed while it was read'),
    });
    expect(made()).toEqual([]);
  });

  it('ends at its signal with nothing left, while it hashes and while it converts', async () => {
    for (const phase of ['hash', 'convert']) {
      const abort = new AbortController();
      const reason = new Error('enough');
      const onProgress = (progress: LoadProgress): void => {
        if (progress.phase === phase) abort.abort(reason);
      };
      await expect(importGguf({ file: llama, cacheDir: cache(), signal: abort.signal, onProgress })).rejects.toBe(
        reason,
      );
      expect(existsSync(models()) ? readdirSync(models()) : []).toEqual([]);
    }
  });

  it('refuses a cache directory that cannot be written, but a wrong file before that', async () => {
    const blocked = join(parent, 'file');
    writeFileSync(blocked, '');
    const asked = { cacheDir: join(blocked, 'cache') };
    await expect(importGguf({ ...asked, file: llama })).rejects.toMatchObject({ code: 'cache_unwritable' });
    await expect(importGguf({ ...asked, file: blocked })).rejects.toMatchObject({ code: 'checkpoint_invalid' });
    await expect(importGguf({ ...asked, file: join(parent, 'none') })).rejects.toMatchObject({ code: 'path_invalid' });
  });

  it('without room for the artifact leaves no part of it, and no lock', async () => {
    {
      using _ = await failWrites('ENOSPC', 1000);
      await expect(importGguf({ file: llama, cacheDir: cache() })).rejects.toMatchObject({ code: 'disk_full' });
    }
    expect(readdirSync(models())).toEqual([]);
    await importGguf({ file: llama, cacheDir: cache() });
  });

  it('finds what it made of the same bytes, even without room for another', async () => {
    const first = await importGguf({ file: llama, cacheDir: cache() });
    const copy = join(parent, 'copy.gguf');
    copyFileSync(llama, copy);
    {
      using _ = await failWrites('ENOSPC', 1000);
      expect(await importGguf({ file: copy, cacheDir: cache() })).toBe(first);
    }
    expect(made()).toEqual([first.slice(models().length + 1)]);
  });

  it('makes another artifact when the file has changed', async () => {
    const file = join(parent, 'm.gguf');
    copyFileSync(llama, file);
    const first = await importGguf({ file, cacheDir: cache() });
    copyFileSync(qwen2, file);
    expect(await importGguf({ file, cacheDir: cache() })).not.toBe(first);
  });

  it('asked several times at once converts once, and all get it', async () => {
    const asked = Array.from({ length: 4 }, () => importGguf({ file: llama, cacheDir: cache() }));
    expect(new Set(await Promise.all(asked)).size).toBe(1);
    expect(made().length).toBe(1);
  });

  it('takes over the lock of a dead process, and removes what was left half made', async () => {
    const place = await importGguf({ file: llama, cacheDir: cache() });
    rmSync(place, { recursive: true });
    const work = await workOn(llama);
    const left = [work, join(models(), `import-${'0'.repeat(32)}`)].map((path) => `${path}.partial-0123456789ab`);
    for (const path of left) {
      mkdirSync(path);
      writeFileSync(join(path, 'weights.bin'), 'half');
    }
    // The largest process id that Linux can give, and one more.
    for (const path of [work, place])
      writeFileSync(`${path}.lock`, JSON.stringify({ host: hostname(), pid: 2 ** 22 + 1 }));
    expect(await importGguf({ file: llama, cacheDir: cache() })).toBe(place);
    expect(made()).toEqual([place.slice(models().length + 1)]);
  });

  it('leaves alone what a living process makes, and waits for it until told to stop', async () => {
    const place = await importGguf({ file: llama, cacheDir: cache() });
    rmSync(place, { recursive: true });
    const work = await workOn(llama);
    writeFileSync(`${work}.lock`, JSON.stringify({ host: hostname(), pid: process.pid }));
    mkdirSync(`${work}.partial-0123456789ab`);
    const other = await importGguf({ file: qwen2, cacheDir: cache() });
    expect(made().length).toBe(3);
    const abort = new AbortController();
    const waiting = importGguf({ file: llama, cacheDir: cache(), signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    // A holder that has been silent for a minute counts as dead, even on another machine.
    writeFileSync(`${work}.lock`, JSON.stringify({ host: 'elsewhere', pid: 1 }));
    utimesSync(`${work}.lock`, new Date(0), new Date(0));
    expect(await importGguf({ file: llama, cacheDir: cache() })).toBe(place);
    expect(made().toSorted()).toEqual([place, other].map((path) => path.slice(models().length + 1)).toSorted());
  });
});
