import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openArtifact, type LoadProgress } from '../../src/artifact/index.js';
import { convertCheckpoint, importGguf, shapes } from '../../src/convert/index.js';
import { parseModelConfig, weightTable, type WeightSpec } from '../../src/model/index.js';
import { openTokenizer } from '../../src/tokenizer/index.js';
import { openGguf, packedMatrixBytes, repackers, unpackMatrix, type GgufSource } from '../../src/weights/index.js';
import { fileTypes, writeShapeFile } from '../../bench/gguf/shape-file.js';
import { bool, f32, list, text, u32, type TypedValue } from '../../bench/gguf/gguf-writer.js';
import { failWrites } from '../support/failing-writes.js';
import { ggufFile } from '../weights/gguf-file.js';

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
  spec: WeightSpec,
  gguf: GgufSource,
  headDim: number,
  isLlama: boolean,
): Promise<Float32Array> {
  const values = new Float32Array(spec.rows * spec.columns);
  let row = 0;
  for (const { tensor, start, count } of spec.sources) {
    for (let i = start; i < start + count; i++, row++) {
      if (tensor === null) continue;
      const name = ggufName(tensor);
      // llama.cpp's rope turns neighbours: dimension j of the first half is stored at 2j, of the second at 2j + 1.
      const place = i % headDim;
      const turned = place < headDim / 2 ? 2 * place : 2 * (place - headDim / 2) + 1;
      const from = isLlama && /attn_[qk]\./.test(name) ? i - place + turned : i;
      const first = from * spec.sourceColumns + spec.columnStart;
      await gguf.readFloats(name, first, spec.columns, values.subarray(row * spec.columns));
    }
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
  for (const [index, spec] of weightTable(config).entries()) {
    const entry = artifact.manifest.tensors[index];
    if (entry === undefined) throw new Error(`no tensor ${spec.name}`);
    const bytes = new Uint8Array(entry.sizeBytes);
    await artifact.readTensor(entry, bytes);
    const want = await expectedRows(spec, gguf, config.headDim, config.modelType === 'llama');
    const got =
      spec.kind === 'vector'
        ? new Float32Array(bytes.buffer, 0, spec.rows)
        : unpackMatrix(entry.quant, bytes, spec.rows, spec.columns);
    const wrong = want.findIndex((value, i) => value !== got[i]);
    if (wrong >= 0) expect.fail(`${spec.name} ${wrong}: ${got[wrong]} instead of ${want[wrong]}`);
    const dtype = gguf.tensors.get(ggufName(spec.sources[0]?.tensor ?? ''))?.dtype ?? '';
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
      expect(panels.map(({ columns }) => columns)).toEqual([1568, 1536]);
    },
  );

  it('requantises what the caller asks for', async () => {
    const summary = await convertCheckpoint({ source: qwen2, out: join(parent, 'a'), quant: 'q4' });
    expect(summary).toMatchObject({ id: 'qwen2-q8_0', modelType: 'qwen2', quant: 'q4', warnings: [] });
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

/** A model of one layer whose metadata and tensors a test may change. */
function oneLayer(
  change: Record<string, TypedValue | null> = {},
  without = '',
  extra: string[] = [],
  matrixType = 'Q4_1',
): Buffer {
  const metadata = {
    'general.architecture': text('llama'),
    'llama.block_count': u32(1),
    'llama.context_length': u32(64),
    'llama.embedding_length': u32(32),
    'llama.feed_forward_length': u32(32),
    'llama.attention.head_count': u32(2),
    'llama.attention.layer_norm_rms_epsilon': f32(1e-5),
    'tokenizer.ggml.model': text('gpt2'),
    'tokenizer.ggml.pre': text('gpt-2'),
    'tokenizer.ggml.tokens': list(['a', 'b', 'ab', '<s>'].map(text)),
    'tokenizer.ggml.token_type': list([1, 1, 1, 3].map((value) => ({ type: 'i32', value }))),
    'tokenizer.ggml.merges': list([text('a b')]),
    'tokenizer.ggml.bos_token_id': u32(3),
    'tokenizer.ggml.eos_token_id': u32(3),
    'tokenizer.ggml.add_bos_token': bool(true),
  };
  const kept = Object.entries({ ...metadata, ...change }).flatMap(([key, value]) =>
    value ? [[key, value] as const] : [],
  );
  const matrices = ['attn_q', 'attn_k', 'attn_v', 'attn_output', 'ffn_gate', 'ffn_up', 'ffn_down'];
  const tensors = [
    { name: 'token_embd.weight', type: 'Q8_0', shape: [8, 32] },
    { name: 'output_norm.weight', type: 'F32', shape: [32] },
    ...['attn_norm', 'ffn_norm'].map((part) => ({ name: `blk.0.${part}.weight`, type: 'F32', shape: [32] })),
    ...matrices.map((part) => ({ name: `blk.0.${part}.weight`, type: matrixType, shape: [32, 32] })),
    ...extra.map((name) => ({ name, type: 'F32', shape: [32] })),
  ];
  return ggufFile({ metadata: Object.fromEntries(kept), tensors: tensors.filter(({ name }) => name !== without) });
}

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

  it.each([
    ['a SentencePiece tokenizer', { 'tokenizer.ggml.model': text('llama') }, /llama \(SentencePiece\)/],
    ['an unknown cut into words', { 'tokenizer.ggml.pre': text('zigzag') }, /"zigzag".*smollm/],
    ['no tokenizer', { 'tokenizer.ggml.tokens': null }, /no tokenizer\.ggml\.tokens/],
  ] as [string, Record<string, TypedValue | null>, RegExp][])(
    'with %s converts without one, and says so',
    async (_, change, why) => {
      const { warnings } = await convert(oneLayer(change));
      expect(warnings).toEqual([expect.stringMatching(why)]);
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
    ['yarn', oneLayer({ 'llama.rope.scaling.type': text('yarn') }), 'unsupported_config'],
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
    ['blocks of a type that cannot be read', oneLayer({}, '', [], 'Q5_0'), 'unsupported_dtype'],
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

  it('says what it cannot do before it is hashed, and whoever needs that ends it there', async () => {
    const file = join(parent, 'm.gguf');
    writeFileSync(file, oneLayer({ 'tokenizer.ggml.model': text('llama') }));
    const seen: string[] = [];
    const onProgress = ({ phase }: LoadProgress): void => void seen.push(phase);
    const onWarning = (warning: string): never => {
      throw new Error(warning);
    };
    const asked = { file, cacheDir: join(parent, 'cache'), onProgress };
    await expect(importGguf({ ...asked, onWarning })).rejects.toThrow('SentencePiece');
    expect(seen).toEqual([]);
    await importGguf({ ...asked, onWarning: (warning) => seen.push(warning) });
    expect(seen[0]).toContain('SentencePiece');
    expect(new Set(seen.slice(1))).toEqual(new Set(['hash', 'convert']));
  });
});

describe('importing GGUF', () => {
  const cache = (): string => join(parent, 'cache');
  const models = (): string => join(cache(), 'models');
  const made = (): string[] => readdirSync(models()).filter((name) => !name.startsWith('.'));

  it('converts once, under the SHA-256 of the file, whatever it is called', async () => {
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

  it('removes what an earlier version made of the same file, and says so', async () => {
    const first = await importGguf({ file: llama, cacheDir: cache() });
    const earlier = first.replace(/-[\d.]+$/, '-0.1.1');
    const others = join(dirname(first), `gguf-${'0'.repeat(64)}-0.1.1`);
    renameSync(first, earlier);
    mkdirSync(others, { recursive: true });
    const warnings: string[] = [];
    await importGguf({ file: llama, cacheDir: cache(), onWarning: (warning) => warnings.push(warning) });
    expect([earlier, first, others].map((path) => existsSync(path))).toEqual([false, true, true]);
    expect(warnings.filter((warning) => warning.startsWith('removed'))).toEqual([
      `removed ${earlier}, which an earlier version had made of the same file`,
    ]);
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
    const left = [`${place}.partial-0123456789ab`, join(models(), `gguf-${'0'.repeat(64)}-1.1.1.partial-0123456789ab`)];
    for (const path of left) {
      mkdirSync(path);
      writeFileSync(join(path, 'weights.bin'), 'half');
    }
    // The largest process id that Linux can give, and one more.
    writeFileSync(`${place}.lock`, JSON.stringify({ host: hostname(), pid: 2 ** 22 + 1 }));
    expect(await importGguf({ file: llama, cacheDir: cache() })).toBe(place);
    expect(made()).toEqual([place.slice(models().length + 1)]);
  });

  it('leaves alone what a living process makes, and waits for it until told to stop', async () => {
    const place = await importGguf({ file: llama, cacheDir: cache() });
    rmSync(place, { recursive: true });
    writeFileSync(`${place}.lock`, JSON.stringify({ host: hostname(), pid: process.pid }));
    mkdirSync(`${place}.partial-0123456789ab`);
    const other = await importGguf({ file: qwen2, cacheDir: cache() });
    expect(made().length).toBe(3);
    const abort = new AbortController();
    const waiting = importGguf({ file: llama, cacheDir: cache(), signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    // A holder that has been silent for a minute counts as dead, even on another machine.
    writeFileSync(`${place}.lock`, JSON.stringify({ host: 'elsewhere', pid: 1 }));
    utimesSync(`${place}.lock`, new Date(0), new Date(0));
    expect(await importGguf({ file: llama, cacheDir: cache() })).toBe(place);
    expect(made().toSorted()).toEqual([place, other].map((path) => path.slice(models().length + 1)).toSorted());
  });
});
