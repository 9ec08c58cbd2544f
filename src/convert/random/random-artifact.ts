import { createArtifactWriter, type OnProgress } from '../../artifact/index.js';
import { devices } from '../../compute/index.js';
import { parseModelConfig } from '../../model/index.js';
import { packedVectorBytes, type QuantName } from '../../weights/index.js';
import type { ConvertSummary } from '../convert-checkpoint.js';
import { packedBytes } from '../packing/pack-tensors.js';
import { arrangeSpecs, storedQuant } from '../packing/stored-quant.js';
import { fillRandomFloats, randomMatrix, randomState } from './random-bytes.js';

/** A model of random weights: `config` is a config.json. The same seed gives the same bytes. */
export interface RandomArtifactOptions {
  readonly config: Readonly<Record<string, unknown>>;
  readonly out: string;
  readonly quant?: QuantName;
  readonly seed?: number;
  readonly id?: string;
  readonly signal?: AbortSignal;
  /** Called in the phase `convert` with the bytes of weights written so far. */
  readonly onProgress?: OnProgress;
}

/**
 * Makes an artifact for measurements, at the speed of the disk: no tokenizer, no template, no stop ids. Norms are 1,
 * other weights have a variance of 1 / columns (of all panels), so that activations keep their size through the layers.
 * Errors: those of config.json; `output_exists`, `disk_full` and the other errors of writing files; the reason of the
 * signal.
 */
export async function createRandomArtifact(options: RandomArtifactOptions): Promise<ConvertSummary> {
  const { out, quant = 'q8', seed = 0, signal, onProgress } = options;
  const config = parseModelConfig(options.config);
  const { layout } = devices.cpu;
  const arranged = arrangeSpecs(config, layout);
  const tensors = arranged.map(({ tensor, spec }) => ({ ...tensor, quant: storedQuant(spec, quant) }));
  const totalBytes = packedBytes({ layout, tensors });
  await using writer = await createArtifactWriter(out, { signal, totalBytes });
  await writer.addFile('config.json', Buffer.from(JSON.stringify(options.config, null, 2)));
  for (const [index, tensor] of tensors.entries()) {
    const { name, kind, quant: stored, rows, columns } = tensor;
    // Of all panels.
    const width = arranged[index]?.spec.columns ?? columns;
    const state = randomState(seed, index);
    const pieces =
      kind === 'vector' ? [randomVector(name, rows, state)] : randomMatrix(stored, rows, columns, width ** -0.5, state);
    await writer.addTensor({ name, kind, quant: stored, rows, columns }, pieces);
    const doneBytes = packedBytes({ layout, tensors: tensors.slice(0, index + 1) });
    onProgress?.({ phase: 'convert', doneBytes, totalBytes });
  }
  const manifest = await writer.finish({
    id: options.id ?? 'random',
    createdBy: 'troupe',
    source: { format: 'random', seed },
    modelType: config.modelType,
    quant,
    layout: layout.name,
    config: options.config,
    generation: { stopTokenIds: [] },
    chat: { template: null, bosToken: null, eosToken: null },
  });
  return {
    id: manifest.id,
    modelType: config.modelType,
    quant,
    directory: out,
    numTensors: manifest.tensors.length,
    sizeBytes: manifest.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    notices: [],
  };
}

function randomVector(name: string, rows: number, state: number): Uint8Array {
  const values = new Float32Array(packedVectorBytes(rows) / 4);
  const used = values.subarray(0, rows);
  if (/norm$/i.test(name)) used.fill(1);
  else fillRandomFloats(used, 0.02, state);
  return new Uint8Array(values.buffer);
}
