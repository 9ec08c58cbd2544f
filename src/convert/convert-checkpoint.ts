import { createArtifactWriter, type ArtifactWriter, type ManifestHead, type OnProgress } from '../artifact/index.js';
import type { BeforeRead, QuantName } from '../weights/index.js';
import type { ConversionTokenizer } from './conversion-tokenizer.js';
import { listNotices, openConversion, type Conversion } from './open-conversion.js';
import type { Notice, OnNotice } from './notice.js';
import { packedBytes, packTensors, type TakeTensor } from './packing/pack-tensors.js';

/**
 * Source and options of a conversion. `source`: a Hugging Face directory or a GGUF file. `quant`: default is q8 for a
 * directory; a GGUF file keeps its types. `id`: default is the name of the directory, of the repository of a hub cache,
 * or of the file.
 */
export interface ConvertOptions {
  readonly source: string;
  readonly out: string;
  readonly quant?: QuantName | undefined;
  readonly id?: string;
  readonly signal?: AbortSignal | undefined;
  /** Awaited before the read of weights and their headers, which may still be downloading. */
  readonly beforeRead?: BeforeRead | undefined;
  /** Called in the phase `convert` with the bytes of packed weights written so far. */
  readonly onProgress?: OnProgress | undefined;
  /** Called with notices for the user, before the conversion begins. */
  readonly onNotice?: OnNotice | undefined;
}

/** The result. `quant` is that of most of the layers' weights. */
export interface ConvertSummary {
  readonly id: string;
  readonly modelType: string;
  readonly quant: QuantName;
  readonly directory: string;
  readonly numTensors: number;
  readonly sizeBytes: number;
  readonly notices: readonly Notice[];
}

/** Target and callbacks of a conversion. */
export type WriteOptions = Pick<ConvertOptions, 'out' | 'signal' | 'onProgress' | 'id'> & {
  /** Replaces `out` by another path, after all is written beside `out`; its exception ends the conversion. */
  readonly choosePlace?: (() => Promise<string>) | undefined;
  /** Advice for a full disk, as the end of a sentence. */
  readonly whenFull?: string;
};

/**
 * Converts the model at `source` into an artifact at `out`, whole or not at all. Memory does not grow with the model:
 * it takes some batches of 8 MiB, and the packed size of one wide matrix. Errors before anything is written: those of
 * `openConversion`. Then: `output_exists`, `disk_full` and the other errors of writing files, those of reading and
 * packing weights; the reason of the signal.
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

/** The model's part of a manifest; `id` replaces the checkpoint's own. */
export function manifestHead(conversion: Conversion, tokenizer: ConversionTokenizer, id?: string): ManifestHead {
  const { checkpoint, config, quant, layout, requantised } = conversion;
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
    layout: layout.name,
    config: checkpoint.config,
    generation,
    chat: checkpoint.chat,
  };
}

/**
 * Writes the artifact of an open conversion, whose tokenizer may still be compiling. Errors: those of
 * `convertCheckpoint` except those of the headers.
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

/** The small files beside the weights. */
interface BesidesFiles {
  /** The tokenizer, once all are written. */
  readonly added: Promise<ConversionTokenizer>;
  /** The error that keeps them from being written, once known: it ends the packing. */
  readonly refusal: { readonly error: unknown } | undefined;
  /** Begins no further file, and waits for started ones. */
  stop(): Promise<void>;
}

/** Writes the small files as soon as the tokenizer is compiled; its vocabulary may have tens of megabytes. */
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
