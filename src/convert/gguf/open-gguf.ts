import { basename } from 'node:path';
import { readGgufSampling } from '../../store/index.js';
import { openGguf, readPartName, type BeforeRead, type GgufSource } from '../../weights/index.js';
import type { Checkpoint } from '../checkpoint.js';
import { invalidFile } from '../errors.js';
import { readChat, readGeneration } from './chat-settings.js';
import { readConversionMetadata } from './metadata-reader.js';
import { createModelConfig, draftLayers, readArchitecture } from './model-config.js';
import { losslessQuant, requantisedTensors, sayRequantised } from './stored-types.js';
import { pickTokenizer } from './tokenizer-metadata.js';
import { createWeightSource } from './weight-source.js';

/** Maximum of a head's frequencies: a 512-dimensional one has 256. */
const MAX_ROPE_FACTORS = 256;

/**
 * Opens a GGUF file. One with an unsupported tokenizer becomes a model without: it can continue token ids. Errors:
 * `checkpoint_not_found`, `checkpoint_invalid`, `unsupported_architecture`, `unsupported_config`.
 */
export async function openGgufCheckpoint(path: string, beforeRead?: BeforeRead): Promise<Checkpoint> {
  const file = basename(path);
  const gguf = await openGguf(path, beforeRead);
  try {
    const metadata = readConversionMetadata(gguf.metadata, file);
    const ropeFactors = await readRopeFactors(gguf, file);
    const config = createModelConfig({ metadata, tensors: gguf.tensors, ropeFactors });
    const tensors = createWeightSource(gguf, readArchitecture(metadata), {
      headDim: Number(config['head_dim']),
      numLayers: Number(config['num_hidden_layers']),
      draftLayers: draftLayers(metadata),
    });
    return {
      id: readPartName(file)?.stem ?? file.replace(/\.gguf$/i, ''),
      source: { format: 'gguf', name: file, types: listTypes(gguf) },
      config,
      generation: { ...readGeneration(metadata), ...readGgufSampling(gguf.metadata, file) },
      chat: readChat(metadata),
      tokenizerSource: () => ({ kind: 'gguf', metadata: pickTokenizer(gguf.metadata, file) }),
      files: new Map([['config.json', Buffer.from(`${JSON.stringify(config, null, 2)}\n`)]]),
      tensors,
      quantOf: (spec) => losslessQuant(spec, tensors),
      sayRequantised: (specs) => sayRequantised(requantisedTensors(specs, tensors)),
      [Symbol.asyncDispose]: () => gguf.close(),
    };
  } catch (error) {
    await gguf.close();
    throw error;
  }
}

/** The number of tensors of each type: "F32 61, Q4_1 210". */
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
