import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { createArtifactWriter, type ArtifactWriter, type ManifestHead } from '../artifact/index.js';
import { AppError } from '../base/index.js';
import { parseModelConfig, weightTable, type ModelConfig, type WeightSpec } from '../model/index.js';
import { compileTokenizer, openTokenizer } from '../tokenizer/index.js';
import { openSafetensors, type QuantName } from '../weights/index.js';
import { readChat } from './chat-settings.js';
import { checkTensors } from './check-tensors.js';
import { readCheckpointFiles, type CheckpointFiles } from './checkpoint-files.js';
import { readGeneration } from './generation-settings.js';
import { createPacker } from './packer.js';
import { batchSizes, packMatrixRows, packVector } from './pack-tensor.js';

/** Unpacked weights that are done, of all that there are. */
export interface ConvertProgress {
  readonly doneWeights: number;
  readonly totalWeights: number;
}

/** What to convert, and to what. `id`: default is the name of the directory, or the repository of a hub cache. */
export interface ConvertOptions {
  readonly source: string;
  readonly out: string;
  readonly quant?: QuantName;
  readonly id?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ConvertProgress) => void;
}

/** What was made. */
export interface ConvertSummary {
  readonly id: string;
  readonly modelType: string;
  readonly quant: QuantName;
  readonly directory: string;
  readonly numTensors: number;
  readonly sizeBytes: number;
}

/**
 * Makes an artifact at `out` of the Hugging Face directory `source`: whole, or not at all. Memory does not grow with
 * the model: some batches of 8 MiB. Default quant: q8.
 * Errors: `checkpoint_not_found`, `checkpoint_invalid`, `checkpoint_mismatch`, `output_exists`, those of config.json,
 * of tokenizer.json, of reading and packing weights; the reason of the signal.
 */
export async function convertCheckpoint(options: ConvertOptions): Promise<ConvertSummary> {
  const { source, out, quant = 'q8', signal } = options;
  signal?.throwIfAborted();
  const files = await readCheckpointFiles(source);
  const config = parseModelConfig(files.config.json);
  const specs = weightTable(config);
  await using tensors = await openSafetensors(source);
  checkTensors(specs, tensors);
  const head = await toHead(options, quant, files, config);

  await using writer = await createArtifactWriter(out, signal);
  await addFiles(writer, files, head, config);
  const totalWeights = specs.reduce((sum, spec) => sum + spec.rows * spec.columns, 0);
  await using packer = createPacker(totalWeights, ...batchSizes(specs, (spec) => quantOf(spec, quant)));
  let doneWeights = 0;
  for (const spec of specs) {
    const { name, kind, rows, columns } = spec;
    const stored = quantOf(spec, quant);
    const pieces = kind === 'vector' ? packVector(spec, tensors) : packMatrixRows(spec, stored, tensors, packer);
    await writer.addTensor({ name, kind, quant: stored, rows, columns }, pieces);
    doneWeights += rows * columns;
    options.onProgress?.({ doneWeights, totalWeights });
  }
  const manifest = await writer.finish(head);
  return {
    id: manifest.id,
    modelType: manifest.modelType,
    quant,
    directory: out,
    numTensors: manifest.tensors.length,
    sizeBytes: manifest.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  };
}

/** Vectors stay f32; with four bits the embedding and the output, where errors are seen most, keep 8 bits. */
export function quantOf(spec: WeightSpec, quant: QuantName): QuantName {
  if (spec.kind === 'vector') return 'f32';
  return (quant === 'q4' || quant === 'q4m') && spec.role !== 'layer' ? 'q8' : quant;
}

async function toHead(
  options: ConvertOptions,
  quant: QuantName,
  files: CheckpointFiles,
  config: ModelConfig,
): Promise<ManifestHead> {
  const path = await realpath(options.source);
  return {
    id: options.id ?? nameOf(path),
    createdBy: 'troupe',
    source: { format: 'safetensors', name: nameOf(path) },
    modelType: config.modelType,
    quant,
    config: files.config.json,
    generation: readGeneration(files),
    chat: readChat(files),
  };
}

/** …/models--org--name/snapshots/<commit> is org/name; any other directory is called as it is. */
function nameOf(path: string): string {
  const snapshots = dirname(path);
  const cached = basename(snapshots) === 'snapshots' ? basename(dirname(snapshots)) : '';
  if (cached.startsWith('models--')) return cached.slice('models--'.length).replaceAll('--', '/');
  return basename(path);
}

async function addFiles(
  writer: ArtifactWriter,
  files: CheckpointFiles,
  head: ManifestHead,
  config: ModelConfig,
): Promise<void> {
  const tokenizer = compileTokenizer(files.tokenizerJson);
  const { vocabSize } = openTokenizer(tokenizer);
  if (vocabSize > config.vocabSize) {
    throw new AppError(
      'checkpoint_mismatch',
      `tokenizer.json has ${vocabSize} tokens, but config.json a vocab_size of ${config.vocabSize}`,
      { tokenizer: vocabSize, config: config.vocabSize },
    );
  }
  await writer.addFile('config.json', files.config.bytes);
  if (files.generation !== null) await writer.addFile('generation_config.json', files.generation.bytes);
  await writer.addFile('tokenizer.bin', tokenizer);
  if (head.chat.template !== null) await writer.addFile('chat_template.jinja', Buffer.from(head.chat.template));
}
