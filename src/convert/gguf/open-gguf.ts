import { basename } from 'node:path';
import { toErrorData } from '../../base/index.js';
import type { WeightSpec } from '../../model/index.js';
import { compileTokenizer } from '../../tokenizer/index.js';
import { openGguf, quantNames, quantOf, type GgufSource, type QuantName } from '../../weights/index.js';
import type { Checkpoint, CompiledTokenizer, WeightSource } from '../checkpoint.js';
import { invalidFile } from '../errors.js';
import { dtypeOf } from '../packing/pack-tensor.js';
import { readChat, readGeneration } from './chat-settings.js';
import { readMetadata, type MetadataReader } from './metadata-reader.js';
import { createModelConfig, readArchitecture } from './model-config.js';
import { createTokenizerJson } from './tokenizer-json.js';
import { createWeightSource } from './weight-source.js';

/** Quants that hold the numbers of a GGML type as they are, by its name. */
const LOSSLESS: ReadonlyMap<string, QuantName> = new Map(quantNames.map((name) => [quantOf(name).ggml, name]));

/** Most frequencies that a head can have: a 512-dimensional one has 256. */
const MAX_ROPE_FACTORS = 256;

/**
 * A GGUF file. One whose tokenizer is of another kind than byte-level BPE goes without: it can continue token ids.
 * Errors: `checkpoint_not_found`, `checkpoint_invalid`, `unsupported_architecture`, `unsupported_config`.
 */
export async function openGgufCheckpoint(path: string): Promise<Checkpoint> {
  const file = basename(path);
  const gguf = await openGguf(path);
  try {
    const metadata = readMetadata(gguf.metadata, file);
    refuseShards(metadata);
    const ropeFactors = await readRopeFactors(gguf, file);
    const config = createModelConfig({ metadata, tensors: gguf.tensors, ropeFactors });
    const tensors = createWeightSource(gguf, readArchitecture(metadata), Number(config['head_dim']));
    return {
      id: file.replace(/\.gguf$/i, ''),
      source: { format: 'gguf', name: file, types: listTypes(gguf) },
      config,
      generation: readGeneration(metadata),
      chat: readChat(metadata),
      compileTokenizer: () => readTokenizer(metadata),
      files: new Map([['config.json', Buffer.from(`${JSON.stringify(config, null, 2)}\n`)]]),
      tensors,
      quantOf: (spec) => losslessQuant(spec, tensors),
      [Symbol.asyncDispose]: () => gguf.close(),
    };
  } catch (error) {
    await gguf.close();
    throw error;
  }
}

/** The narrowest quant that holds a matrix exactly. */
function losslessQuant(spec: WeightSpec, tensors: WeightSource): QuantName {
  if (spec.kind === 'vector') return 'f32';
  const dtype = dtypeOf(spec, tensors) ?? 'F32';
  return LOSSLESS.get(dtype) ?? 'f32';
}

function readTokenizer(metadata: MetadataReader): CompiledTokenizer {
  try {
    return { bytes: compileTokenizer(createTokenizerJson(metadata)) };
  } catch (error) {
    const { code, message } = toErrorData(error);
    if (code !== 'unsupported_tokenizer') throw error;
    return { bytes: null, missing: message };
  }
}

/** How many tensors there are of each type: "F32 61, Q4_1 210". */
function listTypes(gguf: GgufSource): string {
  const counts = new Map<string, number>();
  for (const { dtype } of gguf.tensors.values()) counts.set(dtype, (counts.get(dtype) ?? 0) + 1);
  return [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([dtype, count]) => `${dtype} ${count}`)
    .join(', ');
}

async function readRopeFactors(gguf: GgufSource, file: string): Promise<number[] | undefined> {
  const length = gguf.tensors.get('rope_freqs.weight')?.shape[0];
  if (length === undefined) return undefined;
  if (length > MAX_ROPE_FACTORS) {
    throw invalidFile(file, `has rope_freqs.weight of ${length}; the limit is ${MAX_ROPE_FACTORS}`);
  }
  const factors = new Float32Array(length);
  await gguf.readFloats('rope_freqs.weight', 0, length, factors);
  return [...factors];
}

function refuseShards(metadata: MetadataReader): void {
  const count = metadata.number('split.count') ?? 1;
  if (count <= 1) return;
  throw invalidFile(
    metadata.file,
    `is one of ${count} parts, which cannot be read yet; join them with llama-gguf-split --merge`,
  );
}
