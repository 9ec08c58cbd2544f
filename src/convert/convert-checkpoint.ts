import { stat } from 'node:fs/promises';
import { createArtifactWriter, type ArtifactWriter } from '../artifact/index.js';
import { AppError, present } from '../base/index.js';
import { parseModelConfig, weightTable, type ModelConfig, type WeightSpec } from '../model/index.js';
import { openTokenizer } from '../tokenizer/index.js';
import type { QuantName } from '../weights/index.js';
import { checkTensors } from './check-tensors.js';
import type { Checkpoint } from './checkpoint.js';
import { openGgufCheckpoint } from './gguf/open-gguf.js';
import { openDirectory } from './open-directory.js';
import { createPacker } from './packer.js';
import { batchSizes, packBands, packVector } from './pack-tensor.js';
import { quantOf } from './quant-of.js';

/** Unpacked weights that are done, of all that there are. */
export interface ConvertProgress {
  readonly doneWeights: number;
  readonly totalWeights: number;
}

/**
 * What to convert, and to what. `source`: a Hugging Face directory or a GGUF file. `quant`: default is q8 for a
 * directory; a GGUF file keeps its types. `id`: default is the name of the directory, of the repository of a hub cache,
 * or of the file.
 */
export interface ConvertOptions {
  readonly source: string;
  readonly out: string;
  readonly quant?: QuantName | undefined;
  readonly id?: string;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (progress: ConvertProgress) => void;
}

/** What was made. `quant` is that of most of the layers' weights. */
export interface ConvertSummary {
  readonly id: string;
  readonly modelType: string;
  readonly quant: QuantName;
  readonly directory: string;
  readonly numTensors: number;
  readonly sizeBytes: number;
  readonly warnings: readonly string[];
}

/**
 * Makes an artifact at `out` of the model at `source`: whole, or not at all. Memory does not grow with the model: some
 * batches of 8 MiB, and what one wide matrix takes when packed.
 * Errors: `checkpoint_not_found`, `checkpoint_invalid`, `checkpoint_mismatch`, `output_exists`, those of config.json,
 * of tokenizer.json, of reading and packing weights; the reason of the signal.
 */
export async function convertCheckpoint(options: ConvertOptions): Promise<ConvertSummary> {
  const { source, out, signal } = options;
  signal?.throwIfAborted();
  await using checkpoint = await openCheckpoint(source);
  const config = parseModelConfig(checkpoint.config);
  const specs = weightTable(config);
  checkTensors(specs, checkpoint.tensors);
  checkTokenizer(checkpoint, config);
  const { quant: asked } = options;
  const storedAs = (spec: WeightSpec): QuantName => (asked ? quantOf(spec, asked) : checkpoint.quantOf(spec));
  const quant = asked ?? commonQuant(specs, storedAs);

  await using writer = await createArtifactWriter(out, signal);
  await addFiles(writer, checkpoint);
  await addTensors(writer, specs, storedAs, checkpoint, options);
  const { source: from, config: json, generation, chat } = checkpoint;
  const manifest = await writer.finish({
    id: options.id ?? checkpoint.id,
    createdBy: 'troupe',
    source: from,
    modelType: config.modelType,
    quant,
    config: json,
    generation,
    chat,
  });
  return {
    id: manifest.id,
    modelType: manifest.modelType,
    quant,
    directory: out,
    numTensors: manifest.tensors.length,
    sizeBytes: manifest.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    warnings: checkpoint.warnings,
  };
}

async function openCheckpoint(path: string): Promise<Checkpoint> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true ? openGgufCheckpoint(path) : openDirectory(path);
}

/** The quant of most of the layers' weights. */
function commonQuant(specs: readonly WeightSpec[], storedAs: (spec: WeightSpec) => QuantName): QuantName {
  const weights = new Map<QuantName, number>();
  for (const spec of specs.filter(({ kind, role }) => kind === 'matrix' && role === 'layer')) {
    const quant = storedAs(spec);
    weights.set(quant, (weights.get(quant) ?? 0) + spec.rows * spec.columns);
  }
  const [most] = [...weights].toSorted((a, b) => b[1] - a[1]);
  return most?.[0] ?? 'f32';
}

function checkTokenizer({ tokenizer }: Checkpoint, config: ModelConfig): void {
  if (tokenizer === null) return;
  const { vocabSize } = openTokenizer(tokenizer);
  if (vocabSize <= config.vocabSize) return;
  throw new AppError(
    'checkpoint_mismatch',
    `the tokenizer has ${vocabSize} tokens, but the model a vocabulary of ${config.vocabSize}`,
    { tokenizer: vocabSize, config: config.vocabSize },
  );
}

async function addFiles(writer: ArtifactWriter, { files, tokenizer, chat }: Checkpoint): Promise<void> {
  for (const [name, bytes] of files) await writer.addFile(name, bytes);
  if (tokenizer !== null) await writer.addFile('tokenizer.bin', tokenizer);
  if (chat.template !== null) await writer.addFile('chat_template.jinja', Buffer.from(chat.template));
}

async function addTensors(
  writer: ArtifactWriter,
  specs: readonly WeightSpec[],
  storedAs: (spec: WeightSpec) => QuantName,
  { tensors }: Checkpoint,
  { onProgress }: ConvertOptions,
): Promise<void> {
  const totalWeights = specs.reduce((sum, spec) => sum + spec.rows * spec.columns, 0);
  await using packer = createPacker(totalWeights, ...batchSizes(specs, storedAs));
  let doneWeights = 0;
  for (const bands of toMatrices(specs)) {
    const first = present(bands[0], 'a matrix has a band');
    const quant = storedAs(first);
    const packed = first.kind === 'vector' ? [packVector(first, tensors)] : packBands(bands, quant, tensors, packer);
    for (const [index, { name, kind, rows, columns }] of bands.entries()) {
      await writer.addTensor({ name, kind, quant, rows, columns }, present(packed[index], 'pieces of each band'));
      doneWeights += rows * columns;
      onProgress?.({ doneWeights, totalWeights });
    }
  }
}

/** The bands of each matrix together, which follow one another; a vector alone. */
function toMatrices(specs: readonly WeightSpec[]): WeightSpec[][] {
  const matrices: WeightSpec[][] = [];
  for (const spec of specs) {
    if (spec.columnStart === 0) matrices.push([spec]);
    else present(matrices.at(-1), 'bands begin with the first').push(spec);
  }
  return matrices;
}
