import { createArtifactWriter, type ArtifactWriter, type ManifestHead, type OnProgress } from '../artifact/index.js';
import type { BeforeRead, QuantName } from '../weights/index.js';
import type { ConversionTokenizer } from './conversion-tokenizer.js';
import { listNotices, openConversion, type Conversion } from './open-conversion.js';
import type { Notice, OnNotice } from './notice.js';
import { packedBytes, packTensors, type TakeTensor } from './packing/pack-tensors.js';

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
  /** Awaited before weights and their headers are read, which may still be on their way. */
  readonly beforeRead?: BeforeRead | undefined;
  /** Told of the phase `convert`: bytes of packed weights that are written. */
  readonly onProgress?: OnProgress | undefined;
  /** Told of what the user should know of the model, before anything is converted. */
  readonly onNotice?: OnNotice | undefined;
}

/** What was made. `quant` is that of most of the layers' weights. */
export interface ConvertSummary {
  readonly id: string;
  readonly modelType: string;
  readonly quant: QuantName;
  readonly directory: string;
  readonly numTensors: number;
  readonly sizeBytes: number;
  readonly notices: readonly Notice[];
}

/** Where a conversion is written, and who is told. */
export type WriteOptions = Pick<ConvertOptions, 'out' | 'signal' | 'onProgress' | 'id'> & {
  /** Gives another place than `out` for it, when all is written beside `out` and nothing is there yet; what it throws ends it. */
  readonly choosePlace?: (() => Promise<string>) | undefined;
  /** What can be done where there is no room for it, the end of a sentence. */
  readonly whenFull?: string;
};

/**
 * Makes an artifact at `out` of the model at `source`: whole, or not at all. Memory does not grow with the model: some
 * batches of 8 MiB, and what one wide matrix takes when packed.
 * Errors: those of `openConversion`, before anything is written; `output_exists`, `disk_full` and the other errors of
 * writing files, those of reading and packing weights; the reason of the signal.
 */
export async function convertCheckpoint(options: ConvertOptions): Promise<ConvertSummary> {
  options.signal?.throwIfAborted();
  await using conversion = await openConversion(options.source, options.quant, options.beforeRead);
  for (const notice of listNotices(conversion, await conversion.tokenizer)) options.onNotice?.(notice);
  return await writeConversion(conversion, options);
}

/** The files of an artifact beside its weights. */
export function smallFiles(
  { checkpoint }: Conversion,
  { bytes, vocabulary }: ConversionTokenizer,
): ReadonlyMap<string, Uint8Array> {
  const { template } = checkpoint.chat;
  return new Map([
    ...checkpoint.files,
    ...(bytes === null ? [] : [['tokenizer.bin', bytes] as const]),
    ...(vocabulary === null ? [] : [['vocabulary.bin', vocabulary] as const]),
    ...(template === null ? [] : [['chat_template.jinja', Buffer.from(template)] as const]),
  ]);
}

/** What a manifest says of the model; `id` instead of the checkpoint's own. */
export function manifestHead(conversion: Conversion, tokenizer: ConversionTokenizer, id?: string): ManifestHead {
  const { checkpoint, config, quant, requantised } = conversion;
  const { missing: noTokenizer, generation } = tokenizer;
  return {
    id: id ?? checkpoint.id,
    createdBy: 'troupe',
    source: {
      ...checkpoint.source,
      ...(noTokenizer !== undefined && { noTokenizer }),
      ...(requantised !== undefined && { requantised }),
    },
    modelType: config.modelType,
    quant,
    config: checkpoint.config,
    generation,
    chat: checkpoint.chat,
  };
}

/**
 * Writes the artifact of an open conversion, whose tokenizer may still be made. Errors: those of `convertCheckpoint` but for
 * those of the headers.
 */
export async function writeConversion(conversion: Conversion, options: WriteOptions): Promise<ConvertSummary> {
  const { out, signal, choosePlace, whenFull, onProgress } = options;
  const totalBytes = packedBytes(conversion);
  await using writer = await createArtifactWriter(out, { signal, totalBytes, choosePlace, whenFull });
  const besides = addBesides(conversion, writer);
  const take: TakeTensor = async (tensor, pieces) => {
    if (besides.refusal !== undefined) throw besides.refusal.error;
    await writer.addTensor(tensor, pieces);
  };
  try {
    await packTensors(conversion, take, { totalBytes, onProgress });
  } catch (error) {
    await besides.stop();
    throw error;
  }
  const tokenizer = await besides.added;
  const manifest = await writer.finish(manifestHead(conversion, tokenizer, options.id));
  return {
    id: manifest.id,
    modelType: manifest.modelType,
    quant: manifest.quant,
    directory: out,
    numTensors: manifest.tensors.length,
    sizeBytes: manifest.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    notices: listNotices(conversion, tokenizer),
  };
}

/** Files that are written beside the weights. */
interface BesidesFiles {
  /** The tokenizer, when all are written. */
  readonly added: Promise<ConversionTokenizer>;
  /** Why they cannot be, once that is known: it ends the packing. */
  readonly refusal: { readonly error: unknown } | undefined;
  /** Begins no file any more, and waits for those that have begun. */
  stop(): Promise<void>;
}

/** Writes the small files as soon as the tokenizer is made, whose vocabulary may have tens of megabytes. */
function addBesides(conversion: Conversion, writer: ArtifactWriter): BesidesFiles {
  let refusal: BesidesFiles['refusal'];
  let isStopped = false;
  let writing: Promise<PromiseSettledResult<void>[]> | undefined;
  const added = conversion.tokenizer.then(async (tokenizer) => {
    if (isStopped) return tokenizer;
    const files = [...smallFiles(conversion, tokenizer)];
    writing = Promise.allSettled(files.map(([name, bytes]) => writer.addFile(name, bytes)));
    const failed = (await writing).find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return tokenizer;
  });
  added.catch((error: unknown) => (refusal = { error }));
  return {
    added,
    get refusal() {
      return refusal;
    },
    async stop() {
      isStopped = true;
      await writing;
    },
  };
}
