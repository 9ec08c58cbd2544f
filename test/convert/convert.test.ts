import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openArtifact } from '../../src/artifact/index.js';
import { convertCheckpoint } from '../../src/convert/index.js';
import { parseModelConfig, weightTable } from '../../src/model/index.js';
import { openTokenizer } from '../../src/tokenizer/index.js';
import {
  openSafetensors,
  quantNames,
  quants,
  unpackMatrix,
  type QuantName,
  type TensorSource,
} from '../../src/weights/index.js';
import { writeModel } from '../tokenizer/model-writer.js';
import { inDirectory, safetensorsFile } from '../weights/safetensors-file.js';
import { expectedTensors, type ExpectedTensor } from './expected-tensors.js';
import { editJson, modelNames, models, onCopy } from './checkpoint.js';

/** What the weight table says of one tensor, read row by row: the slow twin of the converter's batches. */
async function expectedRows(
  { tensor: stored, spec, rows }: ExpectedTensor,
  source: TensorSource,
): Promise<Float32Array> {
  const values = new Float32Array(stored.rows * stored.columns);
  for (const { row, tensor, start } of rows) {
    const out = values.subarray(row * stored.columns);
    await source.readFloats(tensor, start * spec.columns + stored.columnStart, stored.columns, out);
  }
  return values;
}

/**
 * Every tensor of the artifact is what the weight table says, within the bound of its quant. `known` keeps what was read of the
 * source, which is the same for each quant.
 */
async function expectKept(
  source: string,
  out: string,
  quant: QuantName,
  known: Map<string, Float32Array>,
): Promise<void> {
  await using tensors = await openSafetensors(source);
  await using artifact = await openArtifact(out);
  await artifact.verifyWeights();
  const specs = expectedTensors(parseModelConfig(artifact.manifest.config));
  expect(artifact.manifest.tensors.map((tensor) => tensor.name)).toEqual(specs.map(({ tensor }) => tensor.name));
  for (const [index, expected] of specs.entries()) {
    const entry = artifact.manifest.tensors[index];
    const { tensor: spec } = expected;
    if (entry === undefined) throw new Error(`no tensor ${spec.name}`);
    const stored =
      spec.kind === 'vector' ? 'f32' : quants[quant].bits < 8 && expected.spec.role !== 'layer' ? 'q8' : quant;
    expect(entry).toMatchObject({ kind: spec.kind, quant: stored, rows: spec.rows, columns: spec.columns });
    const bytes = new Uint8Array(entry.sizeBytes);
    await artifact.readTensor(entry, bytes);
    const want = known.get(spec.name) ?? (await expectedRows(expected, tensors));
    known.set(spec.name, want);
    const got =
      spec.kind === 'vector'
        ? new Float32Array(bytes.buffer, 0, spec.rows)
        : unpackMatrix(stored, bytes, spec.rows, spec.columns);
    for (let start = 0; start < want.length; start += spec.columns) {
      const width = quants[stored].blockColumns;
      for (let k = 0; k < spec.columns; k += width) {
        const end = start + Math.min(k + width, spec.columns);
        const bound = quants[stored].maxError(want.subarray(start + k, end));
        for (let i = start + k; i < end; i++) {
          const error = Math.abs((want[i] as number) - (got[i] as number));
          if (!(error <= bound)) expect.fail(`${spec.name} ${i}: off by ${error}, bound ${bound}`);
        }
      }
    }
  }
}

describe.each(modelNames)('converting %s', (name) => {
  const source = join(models, name);
  const known = new Map<string, Float32Array>();
  afterAll(() => known.clear());

  it.each(quantNames)('to %s keeps every weight within the bound of its quant', (quant) =>
    inDirectory({}, async (directory) => {
      const out = join(directory, 'artifact');
      const summary = await convertCheckpoint({ source, out, quant });
      expect(summary).toMatchObject({ id: name, quant, directory: out });
      await expectKept(source, out, quant, known);
    }),
  );
});

/** Makes the checkpoint in `directory` one of another shape, with weights that follow a formula. */
function reshape(directory: string, shape: Record<string, number>): void {
  editJson(directory, 'config.json', (config) => Object.assign(config, shape));
  const config = parseModelConfig(JSON.parse(readFileSync(join(directory, 'config.json'), 'utf8')));
  const shapes = new Map<string, number[]>();
  for (const { kind, columns, sources } of weightTable(config)) {
    for (const { tensor, start, count } of sources) {
      const rows = Math.max(start + count, shapes.get(tensor)?.[0] ?? 0);
      shapes.set(tensor, kind === 'matrix' ? [rows, columns] : [rows]);
    }
  }
  const tensors = [...shapes].map(([name, tensorShape]) => {
    const values = new Float32Array(tensorShape.reduce((product, size) => product * size, 1));
    for (let i = 0, step = 0; i < values.length; i++, step = (step + 7919) % 2003) values[i] = (step - 1001) / 5000;
    return [name, { dtype: 'F32', shape: tensorShape, bytes: new Uint8Array(values.buffer) }] as const;
  });
  writeFileSync(join(directory, 'model.safetensors'), safetensorsFile(Object.fromEntries(tensors)));
}

describe('converting a wide model', () => {
  // What goes down has two panels, the second of no multiple of 32, and more rows than a batch.
  const shape = { hidden_size: 704, intermediate_size: 3090, num_hidden_layers: 1 };
  const known = new Map<string, Float32Array>();
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'convert-'));
    cpSync(join(models, 'llama2'), join(directory, 'wide'), { recursive: true });
    reshape(join(directory, 'wide'), shape);
  });
  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
    known.clear();
  });

  it.each(['f32', 'bf16', 'q8', 'q4', 'q4k', 'q6k'] as const)('to %s keeps every weight of its panels', (quant) =>
    inDirectory({}, async (parent) => {
      const [source, out] = [join(directory, 'wide'), join(parent, 'artifact')];
      await convertCheckpoint({ source, out, quant });
      await expectKept(source, out, quant, known);
      await using artifact = await openArtifact(out);
      const panels = artifact.manifest.tensors.filter(({ name }) => name.startsWith('layers.0.down.'));
      expect(panels.map(({ rows, columns }) => [rows, columns])).toEqual([
        [704, 1792],
        [704, 1298],
      ]);
    }),
  );
});

describe('converting', () => {
  it('makes the same bytes each time, and q8 by default', () =>
    onCopy('llama3', async (source, out) => {
      const first = await convertCheckpoint({ source, out });
      expect(first.quant).toBe('q8');
      await convertCheckpoint({ source, out: `${out}-2` });
      for (const file of readdirSync(out)) {
        expect(readFileSync(join(out, file))).toEqual(readFileSync(join(`${out}-2`, file)));
      }
    }));

  it('stores config, template, tokens and stop ids', () =>
    onCopy('qwen3', async (source, out) => {
      await convertCheckpoint({ source, out, id: 'org/model' });
      await using artifact = await openArtifact(out);
      const { manifest } = artifact;
      expect(manifest.id).toBe('org/model');
      expect(manifest.modelType).toBe('qwen3');
      expect(manifest.config).toEqual(JSON.parse(readFileSync(join(source, 'config.json'), 'utf8')));
      expect(manifest.generation).toEqual({ stopTokenIds: [315, 313] });
      expect(manifest.chat).toMatchObject({ bosToken: '<|endoftext|>', eosToken: '<|im_end|>' });
      expect(manifest.chat.template).toContain('<|im_start|>');
      expect(manifest.files.map(({ path }) => path)).toEqual([
        'chat_template.jinja',
        'config.json',
        'generation_config.json',
        'tokenizer.bin',
        'vocabulary.bin',
        'weights.bin',
      ]);
    }));

  it('takes over the demo model with its list of stop ids and its sampling', () =>
    onCopy('llama2', async (_, out) => {
      await convertCheckpoint({ source: join(process.cwd(), 'assets/demo'), out, id: 'demo' });
      await using artifact = await openArtifact(out);
      expect(artifact.manifest.generation).toEqual({ stopTokenIds: [1529, 1527], temperature: 0.7, topP: 0.9 });
      expect(artifact.manifest.chat.bosToken).toBe(null);
    }));

  it('reports progress up to the whole', () =>
    onCopy('llama2', async (source, out) => {
      const seen: number[] = [];
      let total = 0;
      await convertCheckpoint({
        source,
        out,
        onProgress: ({ phase, doneBytes, totalBytes }) => {
          expect(phase).toBe('convert');
          seen.push(doneBytes);
          total = totalBytes;
        },
      });
      expect(seen).toEqual(seen.toSorted((a, b) => a - b));
      expect(seen[0]).toBe(0);
      expect(seen.at(-1)).toBe(total);
      expect(total).toBe(statSync(join(out, 'weights.bin')).size);
    }));

  it('ends with the reason of its signal and leaves nothing behind', () =>
    onCopy('llama2', async (source, out) => {
      const reason = new Error('enough');
      const abort = new AbortController();
      const onProgress = (): void => abort.abort(reason);
      await expect(convertCheckpoint({ source, out, signal: abort.signal, onProgress })).rejects.toBe(reason);
      await expect(convertCheckpoint({ source, out, signal: abort.signal })).rejects.toBe(reason);
      expect(readdirSync(dirname(out))).toEqual(['llama2']);
    }));

  it('takes tokenizer.model where there is no tokenizer.json, with what tokenizer_config.json says of it', () =>
    onCopy('llama2', async (source, out) => {
      rmSync(join(source, 'tokenizer.json'));
      const pieces = [
        ['<unk>', 0, 2],
        ['<s>', 0, 3],
        ['</s>', 0, 3],
        ['▁', -1],
        ['a', -2],
      ] as const;
      writeFileSync(join(source, 'tokenizer.model'), writeModel({ pieces, trainer: { 3: 2 } }));
      editJson(source, 'tokenizer_config.json', (config) => {
        for (const key of Object.keys(config)) delete config[key];
        Object.assign(config, { add_bos_token: true, add_eos_token: true, bos_token: '<s>', eos_token: '</s>' });
      });
      await convertCheckpoint({ source, out });
      await using artifact = await openArtifact(out);
      expect(openTokenizer(await artifact.readFile('tokenizer.bin')).encode('a a')).toEqual([1, 3, 4, 3, 4, 2]);
    }));
});
