import { stat } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { AppError, throwFileError } from '../base/index.js';
import { parseModelConfig, weightTable, type ModelConfig, type WeightSpec } from '../model/index.js';
import { openTokenizer } from '../tokenizer/index.js';
import type { QuantName } from '../weights/index.js';
import { checkTensors } from './check-tensors.js';
import type { Checkpoint } from './checkpoint.js';
import { openGgufCheckpoint } from './gguf/open-gguf.js';
import { openDirectory } from './huggingface/open-directory.js';
import { storedQuant } from './packing/stored-quant.js';

/** A checkpoint of which it is known, by its headers alone, that it can be converted. Owns open files. */
export interface Conversion extends AsyncDisposable {
  readonly checkpoint: Checkpoint;
  readonly config: ModelConfig;
  readonly specs: readonly WeightSpec[];
  /** How each weight is stored. */
  storedAs(spec: WeightSpec): QuantName;
  /** The quant of most of the layers' weights. */
  readonly quant: QuantName;
  /** tokenizer.bin; null when there is no tokenizer that can be read, for the reason `noTokenizer`. */
  readonly tokenizer: Uint8Array | null;
  readonly noTokenizer: string | undefined;
  /** What the user should know of the model. */
  readonly warnings: readonly string[];
}

/**
 * Opens a Hugging Face directory or a GGUF file and looks whether it can be converted: its architecture, config, tensors,
 * their types and the tokenizer. Reads no weight. `asked`: the quant that the caller chose.
 * Errors: `checkpoint_not_found`, `checkpoint_invalid`, `checkpoint_mismatch`, `unsupported_dtype`; those of config.json,
 * of tokenizer.json and of reading files.
 */
export async function openConversion(source: string, asked?: QuantName): Promise<Conversion> {
  const checkpoint = await openCheckpoint(source);
  try {
    const config = parseModelConfig(checkpoint.config);
    const specs = weightTable(config);
    checkTensors(specs, checkpoint.tensors);
    const storedAs = (spec: WeightSpec): QuantName => (asked ? storedQuant(spec, asked) : checkpoint.quantOf(spec));
    const { bytes, missing } = checkpoint.compileTokenizer();
    if (bytes !== null) checkTokenizer(bytes, config);
    return {
      checkpoint,
      config,
      specs,
      storedAs,
      quant: asked ?? commonQuant(specs, storedAs),
      tokenizer: bytes,
      noTokenizer: missing,
      warnings: missing === undefined ? [] : [`${missing}. The artifact has none: it can only continue token ids.`],
      [Symbol.asyncDispose]: () => checkpoint[Symbol.asyncDispose](),
    };
  } catch (error) {
    await checkpoint[Symbol.asyncDispose]();
    throw error;
  }
}

async function openCheckpoint(path: string): Promise<Checkpoint> {
  const found = await stat(path).catch(() => null);
  if (found === null || found.isDirectory()) {
    return openDirectory(path).catch(throwFileError('read', path));
  }
  if (extname(path).toLowerCase() === '.safetensors') {
    const message = `${path} is the weights of a model without its config.json: give the directory, ${dirname(path)}`;
    throw new AppError('checkpoint_invalid', message, { path });
  }
  return openGgufCheckpoint(path);
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

function checkTokenizer(tokenizer: Uint8Array, config: ModelConfig): void {
  const { vocabSize } = openTokenizer(tokenizer);
  if (vocabSize <= config.vocabSize) return;
  throw new AppError(
    'checkpoint_mismatch',
    `the tokenizer has ${vocabSize} tokens, but the model a vocabulary of ${config.vocabSize}`,
    { tokenizer: vocabSize, config: config.vocabSize },
  );
}
