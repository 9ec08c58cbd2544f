import { createArtifactWriter, TENSOR_ALIGNMENT, type ArtifactWriter, type OnProgress } from '../artifact/index.js';
import { alignUp, present } from '../base/index.js';
import type { WeightSpec } from '../model/index.js';
import { packedMatrixBytes, packedVectorBytes, type QuantName } from '../weights/index.js';
import { openConversion, type Conversion } from './open-conversion.js';
import { createPacker } from './packing/packer.js';
import { batchSizes, packPanels, packVector } from './packing/pack-tensor.js';

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
  /** Told of the phase `convert`: bytes of packed weights that are written. */
  readonly onProgress?: OnProgress | undefined;
  /** Told of what the model cannot do, before anything is converted. What it throws ends the work. */
  readonly onWarning?: ((warning: string) => void) | undefined;
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

/** Where a conversion is written, and who is told. */
export type WriteOptions = Pick<ConvertOptions, 'out' | 'signal' | 'onProgress' | 'id'> & {
  /** Called when all is written and nothing is at its place yet; what it throws ends it. */
  readonly beforeFinish?: (() => Promise<void>) | undefined;
};

/**
 * Makes an artifact at `out` of the model at `source`: whole, or not at all. Memory does not grow with the model: some
 * batches of 8 MiB, and what one wide matrix takes when packed.
 * Errors: those of `openConversion`, before anything is written; `output_exists`, `disk_full` and the other errors of
 * writing files, those of reading and packing weights; the reason of the signal.
 */
export async function convertCheckpoint(options: ConvertOptions): Promise<ConvertSummary> {
  options.signal?.throwIfAborted();
  await using conversion = await openConversion(options.source, options.quant);
  for (const warning of conversion.warnings) options.onWarning?.(warning);
  return await writeConversion(conversion, options);
}

/** Writes the artifact of an open conversion. Errors: those of `convertCheckpoint` but for those of the headers. */
export async function writeConversion(conversion: Conversion, options: WriteOptions): Promise<ConvertSummary> {
  const { checkpoint, specs, storedAs, config, quant, tokenizer, noTokenizer, warnings } = conversion;
  const { out, signal, beforeFinish } = options;
  const totalBytes = packedBytes(specs, storedAs);
  await using writer = await createArtifactWriter(out, { signal, totalBytes, beforeFinish });
  for (const [name, bytes] of checkpoint.files) await writer.addFile(name, bytes);
  if (tokenizer !== null) await writer.addFile('tokenizer.bin', tokenizer);
  const { template } = checkpoint.chat;
  if (template !== null) await writer.addFile('chat_template.jinja', Buffer.from(template));
  await addTensors(writer, conversion, totalBytes, options.onProgress);
  const manifest = await writer.finish({
    id: options.id ?? checkpoint.id,
    createdBy: 'troupe',
    source: { ...checkpoint.source, ...(noTokenizer !== undefined && { noTokenizer }) },
    modelType: config.modelType,
    quant,
    config: checkpoint.config,
    generation: checkpoint.generation,
    chat: checkpoint.chat,
  });
  return {
    id: manifest.id,
    modelType: manifest.modelType,
    quant,
    directory: out,
    numTensors: manifest.tensors.length,
    sizeBytes: manifest.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    warnings,
  };
}

/** Bytes of weights.bin, whose tensors begin at whole pages. */
export function packedBytes(specs: readonly WeightSpec[], storedAs: (spec: WeightSpec) => QuantName): number {
  return specs.reduce((end, spec) => {
    const { kind, rows, columns } = spec;
    const bytes = kind === 'vector' ? packedVectorBytes(rows) : packedMatrixBytes(storedAs(spec), rows, columns);
    return alignUp(end, TENSOR_ALIGNMENT) + bytes;
  }, 0);
}

async function addTensors(
  writer: ArtifactWriter,
  { checkpoint, specs, storedAs }: Conversion,
  totalBytes: number,
  onProgress: OnProgress | undefined,
): Promise<void> {
  const { tensors } = checkpoint;
  const totalWeights = specs.reduce((sum, spec) => sum + spec.rows * spec.columns, 0);
  await using packer = await createPacker(totalWeights, ...batchSizes(specs, storedAs));
  let doneBytes = 0;
  const counted = async function* (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      yield piece;
      // Asked for the next one, the writer has written this one.
      doneBytes += piece.length;
      onProgress?.({ phase: 'convert', doneBytes, totalBytes });
    }
  };
  onProgress?.({ phase: 'convert', doneBytes, totalBytes });
  for (const panels of toMatrices(specs)) {
    const first = present(panels[0], 'a matrix has a panel');
    const quant = storedAs(first);
    const packed = first.kind === 'vector' ? [packVector(first, tensors)] : packPanels(panels, quant, tensors, packer);
    for (const [index, { name, kind, rows, columns }] of panels.entries()) {
      doneBytes = alignUp(doneBytes, TENSOR_ALIGNMENT);
      const pieces = counted(present(packed[index], 'pieces of each panel'));
      await writer.addTensor({ name, kind, quant, rows, columns }, pieces);
    }
  }
}

/** The panels of each matrix together, which follow one another; a vector alone. */
function toMatrices(specs: readonly WeightSpec[]): WeightSpec[][] {
  const matrices: WeightSpec[][] = [];
  for (const spec of specs) {
    if (spec.columnStart === 0) matrices.push([spec]);
    else present(matrices.at(-1), 'panels begin with the first').push(spec);
  }
  return matrices;
}
