import { stat } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { devices, type PlannedTensor, type WeightLayout } from '../compute/index.js';
import { parseModelConfig, weightTable, type ModelConfig, type WeightSpec } from '../model/index.js';
import type { BeforeRead, QuantName } from '../weights/index.js';
import { checkTensors } from './check-tensors.js';
import type { Checkpoint } from './checkpoint.js';
import { makeTokenizer, type ConversionTokenizer, type TokenizerParts } from './conversion-tokenizer.js';
import { createTokenizerThread, isLargeFile, isLargeVocabulary, type TokenizerThread } from './threaded-tokenizer.js';
import type { Notice } from './notice.js';
import { arrangeSpecs, storedQuant } from './packing/stored-quant.js';
import { AppError, throwFileError } from '../base/index.js';
import { openGgufCheckpoint } from './gguf/open-gguf.js';
import { openDirectory } from './huggingface/open-directory.js';

/** A checkpoint that can be converted, according to its headers. Owns open files. */
export interface Conversion extends AsyncDisposable {
  readonly checkpoint: Checkpoint;
  readonly config: ModelConfig;
  /** The tensors of the graph. */
  readonly specs: readonly WeightSpec[];
  /** How the artifact stores them. */
  readonly layout: WeightLayout;
  readonly tensors: readonly PlannedTensor[];
  /** The quant of most of the layers' weights. */
  readonly quant: QuantName;
  /**
   * The tokenizer; one with a large vocabulary compiles while weights are packed. Errors: those of tokenizer.json,
   * `checkpoint_mismatch`.
   */
  readonly tokenizer: Promise<ConversionTokenizer>;
  /** The file's types that are stored as another; undefined where all are kept, or the caller chose a quant. */
  readonly requantised: string | undefined;
}

/**
 * Opens a Hugging Face directory or a GGUF file and checks that it can be converted: its architecture, config, tensors
 * and their types. A tokenizer with a small vocabulary is checked too. Reads no weight. `asked`: the caller's quant;
 * `beforeRead`: awaited before weights and their headers are read. Errors: `checkpoint_not_found`,
 * `checkpoint_invalid`, `checkpoint_mismatch`, `unsupported_dtype`; those of config.json, of tokenizer.json and of
 * reading files.
 */
export async function openConversion(source: string, asked?: QuantName, beforeRead?: BeforeRead): Promise<Conversion> {
  const early = (await isLargeFile(source)) ? createTokenizerThread() : undefined;
  const endEarly = async (): Promise<void> => (await early?.catch(() => undefined))?.[Symbol.asyncDispose]();
  const checkpoint = await openCheckpoint(source, beforeRead).catch(async (error: unknown) => {
    await endEarly();
    throw error;
  });
  const closing = new AbortController();
  try {
    const config = parseModelConfig(checkpoint.config);
    const specs = weightTable(config);
    checkTensors(specs, checkpoint.tensors);
    const { layout } = devices.cpu;
    const stored = arrangeSpecs(config, layout).map(({ tensor, spec }) => {
      return { tensor: { ...tensor, quant: asked ? storedQuant(spec, asked) : checkpoint.quantOf(spec) }, spec };
    });
    const { vocabSize } = config;
    const { chat, generation } = checkpoint;
    const parts = { source: checkpoint.tokenizerSource(), chat, generation, vocabSize };
    const isThreaded = isLargeVocabulary(vocabSize);
    if (!isThreaded) await endEarly();
    const tokenizer = isThreaded
      ? makeOnThread(parts, early ?? createTokenizerThread(), closing.signal)
      : Promise.resolve(makeTokenizer(parts));
    tokenizer.catch(() => {});
    return {
      checkpoint,
      config,
      specs,
      layout,
      tensors: stored.map(({ tensor }) => tensor),
      quant: asked ?? commonQuant(stored),
      tokenizer,
      requantised: asked === undefined ? checkpoint.sayRequantised?.(stored.map(({ spec }) => spec)) : undefined,
      async [Symbol.asyncDispose]() {
        closing.abort(new Error('the conversion was closed'));
        await tokenizer.catch(() => {});
        await checkpoint[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await endEarly();
    await checkpoint[Symbol.asyncDispose]();
    throw error;
  }
}

async function makeOnThread(
  parts: TokenizerParts,
  starting: Promise<TokenizerThread>,
  signal: AbortSignal,
): Promise<ConversionTokenizer> {
  await using thread = await starting;
  return await thread.make(parts, signal);
}

/** Notices for the user about the model. */
export function listNotices({ requantised }: Conversion, { missing }: ConversionTokenizer): readonly Notice[] {
  const notices: Notice[] = [];
  if (missing !== undefined) {
    const text = `${missing}. The artifact has none: it can only continue token ids.`;
    notices.push({ kind: 'no_tokenizer', text });
  }
  if (requantised !== undefined) notices.push({ kind: 'requantised', text: requantised });
  return notices;
}

/** The quant of most of the layers' weights. */
function commonQuant(stored: readonly { readonly tensor: PlannedTensor; readonly spec: WeightSpec }[]): QuantName {
  const weights = new Map<QuantName, number>();
  for (const { tensor } of stored.filter(({ spec }) => spec.kind === 'matrix' && spec.role === 'layer')) {
    weights.set(tensor.quant, (weights.get(tensor.quant) ?? 0) + tensor.rows * tensor.columns);
  }
  const [most] = [...weights].toSorted((a, b) => b[1] - a[1]);
  return most?.[0] ?? 'f32';
}

/**
 * Opens a Hugging Face directory or a GGUF file, whose weights may still be downloading. Errors: those of both,
 * `checkpoint_invalid` for weights alone.
 */
async function openCheckpoint(path: string, beforeRead?: BeforeRead): Promise<Checkpoint> {
  const found = await stat(path).catch(() => null);
  if (found === null || found.isDirectory()) {
    return openDirectory(path, beforeRead).catch(throwFileError('read', path));
  }
  if (extname(path).toLowerCase() === '.safetensors') {
    const message = `${path} is the weights of a model without its config.json: give the directory, ${dirname(path)}`;
    throw new AppError('checkpoint_invalid', message, { path });
  }
  return openGgufCheckpoint(path, beforeRead);
}
