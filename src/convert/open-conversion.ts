import { endTokenIds } from '../chat/index.js';
import { AppError } from '../base/index.js';
import { parseModelConfig, weightTable, type ModelConfig, type WeightSpec } from '../model/index.js';
import { openTokenizer, type Tokenizer } from '../tokenizer/index.js';
import type { QuantName } from '../weights/index.js';
import type { Generation } from '../artifact/index.js';
import { checkTensors } from './check-tensors.js';
import type { Checkpoint } from './checkpoint.js';
import { compileTokenizerOf } from './compile-tokenizer.js';
import type { Notice } from './notice.js';
import { openCheckpoint } from './open-checkpoint.js';
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
  /** What the checkpoint recommends, with every token that ends an answer. */
  readonly generation: Generation;
  /** Which of the file's types are stored as another; undefined where all are kept, or the caller chose a quant. */
  readonly requantised: string | undefined;
  /** What the user should know of the model. */
  readonly notices: readonly Notice[];
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
    const { vocabSize } = config;
    const { bytes, missing } = await compileTokenizerOf(checkpoint, { path: source, vocabSize });
    const tokenizer = bytes === null ? undefined : openTokenizer(bytes);
    if (tokenizer !== undefined) checkTokenizer(tokenizer, config);
    const requantised = asked === undefined ? checkpoint.sayRequantised?.(specs) : undefined;
    return {
      checkpoint,
      config,
      specs,
      storedAs,
      quant: asked ?? commonQuant(specs, storedAs),
      tokenizer: bytes,
      noTokenizer: missing,
      generation: tokenizer === undefined ? checkpoint.generation : withEndTokens(checkpoint, tokenizer),
      requantised,
      notices: listNotices(missing, requantised),
      [Symbol.asyncDispose]: () => checkpoint[Symbol.asyncDispose](),
    };
  } catch (error) {
    await checkpoint[Symbol.asyncDispose]();
    throw error;
  }
}

function listNotices(noTokenizer: string | undefined, requantised: string | undefined): Notice[] {
  const notices: Notice[] = [];
  if (noTokenizer !== undefined) {
    const text = `${noTokenizer}. The artifact has none: it can only continue token ids.`;
    notices.push({ kind: 'no_tokenizer', text });
  }
  if (requantised !== undefined) notices.push({ kind: 'requantised', text: requantised });
  return notices;
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

/**
 * The stop ids that the checkpoint names, and those of its end token and of control tokens that end an answer by their text.
 * generation_config.json of a fine-tuned model is often that of the model it was made of. vLLM joins the first two as well.
 */
function withEndTokens({ generation, chat }: Checkpoint, tokenizer: Tokenizer): Generation {
  const controls = new Set(tokenizer.addedTokens.filter(({ special }) => special).map(({ content }) => content));
  const byText = endTokenIds((token) => (controls.has(token) ? tokenizer.tokenToId(token) : undefined));
  const own = chat.eosToken === null ? undefined : tokenizer.tokenToId(chat.eosToken);
  const all = [...generation.stopTokenIds, ...(own === undefined ? [] : [own]), ...byText];
  return { ...generation, stopTokenIds: [...new Set(all)] };
}

function checkTokenizer({ vocabSize }: Tokenizer, config: ModelConfig): void {
  if (vocabSize <= config.vocabSize) return;
  throw new AppError(
    'checkpoint_mismatch',
    `the tokenizer has ${vocabSize} tokens, but the model a vocabulary of ${config.vocabSize}`,
    { tokenizer: vocabSize, config: config.vocabSize },
  );
}
