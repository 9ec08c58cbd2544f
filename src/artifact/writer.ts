import { createHash } from 'node:crypto';
import { lstat, mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  alignUp,
  checkDiskRoom,
  AppError,
  hasErrorCode,
  makeDirectory,
  partialPath,
  syncDirectory,
  throwFileError,
  toFileError,
  writeDurably,
  type WrittenBytes,
} from '../base/index.js';
import { createChunkHasher, type ChunkHasher } from './chunk-hasher.js';
import {
  CHUNK_BYTES,
  FORMAT_VERSION,
  MANIFEST_NAME,
  PACKING_VERSION,
  TENSOR_ALIGNMENT,
  WEIGHTS_NAME,
  type FileEntry,
  type Manifest,
  type TensorEntry,
} from './manifest.js';
import { parseManifest } from './parse-manifest.js';

/** The converter's part of a manifest; the writer adds the rest. */
export type ManifestHead = Pick<
  Manifest,
  'id' | 'createdBy' | 'source' | 'modelType' | 'quant' | 'layout' | 'config' | 'generation' | 'chat'
>;

/** A tensor to write. */
export type NewTensor = Pick<TensorEntry, 'name' | 'kind' | 'quant' | 'rows' | 'columns'>;

/** Options of a writer. */
export interface WriterOptions {
  /** Checked before each write. */
  readonly signal?: AbortSignal | undefined;
  /** Total bytes of the weights: without disk space for them the writer does not begin. */
  readonly totalBytes?: number;
  /** Advice for a full disk, as the end of a sentence. */
  readonly whenFull?: string | undefined;
  /** Replaces `out` by another path, after all writes and before the rename; its exception ends the work. */
  readonly choosePlace?: (() => Promise<string>) | undefined;
}

/** Bytes after which the writer asks the disk to sync. */
const SYNC_BYTES = 64 * 1024 * 1024;

/**
 * Writes one artifact, tensor after tensor. The final path stays empty until `finish`; disposing removes the partial
 * directory.
 */
export interface ArtifactWriter extends AsyncDisposable {
  /** Stores a file beside the weights; `path` is a lower-case name. Errors: those of writing files. */
  addFile(path: string, bytes: Uint8Array): Promise<void>;
  /**
   * Appends a tensor. Its packed bytes come in `pieces`, each used before the next is requested. Errors: those of
   * writing files.
   */
  addTensor(tensor: NewTensor, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>;
  /** Makes everything durable and renames the directory to its final path. Errors: `output_exists`, those of writing files. */
  finish(head: ManifestHead): Promise<Manifest>;
}

/**
 * Starts an artifact at `out`, in `<out>.partial-<random>` beside it. Missing parents are made.
 * Errors: `output_exists`; `access_denied`, `disk_full` and the other errors of writing files, which name `out`.
 */
export async function createArtifactWriter(out: string, options: WriterOptions = {}): Promise<ArtifactWriter> {
  const place = resolve(out);
  await refuseExisting(place);
  const partial = partialPath(place);
  try {
    await makeDirectory(dirname(place));
    await checkDiskRoom(place, dirname(place), options.totalBytes ?? 0, options.whenFull);
    await mkdir(partial);
    const chunks = await createChunkHasher(options.totalBytes ?? 0);
    try {
      return new Writer(place, partial, await open(join(partial, WEIGHTS_NAME), 'wx'), chunks, options);
    } catch (error) {
      await chunks[Symbol.asyncDispose]();
      throw error;
    }
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => {});
    throw toFileError(error, 'write', place);
  }
}

class Writer implements ArtifactWriter {
  readonly #place: string;
  readonly #partial: string;
  readonly #weights: FileHandle;
  readonly #options: WriterOptions;
  readonly #chunks: ChunkHasher;
  readonly #tensors: TensorEntry[] = [];
  readonly #files: FileEntry[] = [];
  #size = 0;
  #syncing: Promise<void> | undefined;
  #syncedSize = 0;
  #open = true;

  constructor(place: string, partial: string, weights: FileHandle, chunks: ChunkHasher, options: WriterOptions) {
    this.#place = place;
    this.#partial = partial;
    this.#weights = weights;
    this.#chunks = chunks;
    this.#options = options;
  }

  async addFile(path: string, bytes: Uint8Array): Promise<void> {
    this.#options.signal?.throwIfAborted();
    const writing = writeDurably(join(this.#partial, path), bytes);
    // The write may reject while this thread hashes.
    writing.catch(() => {});
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await writing.catch(throwFileError('write', join(this.#place, path)));
    this.#files.push({ path, sizeBytes: bytes.length, sha256 });
  }

  async addTensor(tensor: NewTensor, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const offset = alignUp(this.#size, TENSOR_ALIGNMENT);
    if (offset > this.#size) await this.#skip(offset - this.#size);
    for await (const piece of pieces) await this.#append(piece);
    const sizeBytes = this.#size - offset;
    const { name, kind, quant, rows, columns } = tensor;
    this.#tensors.push({ name, kind, quant, rows, columns, offset, sizeBytes });
  }

  async finish(head: ManifestHead): Promise<Manifest> {
    const chunkSha256 = await this.#chunks.finish();
    const weights = { path: WEIGHTS_NAME, sizeBytes: this.#size };
    const files = [...this.#files, weights].toSorted((a, b) => (a.path < b.path ? -1 : 1));
    const manifest = toManifest(head, this.#tensors, files, chunkSha256);
    const bytes = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
    // A manifest that our reader refuses is never written.
    let place = this.#place;
    parseManifest(bytes, place);
    try {
      await this.#syncing;
      await this.#weights.sync();
      await this.#weights.close();
      await writeDurably(join(this.#partial, MANIFEST_NAME), bytes);
      await syncDirectory(this.#partial);
      this.#options.signal?.throwIfAborted();
      place = (await this.#options.choosePlace?.()) ?? place;
      await refuseExisting(place);
      await rename(this.#partial, place);
    } catch (error) {
      if (hasErrorCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) throw outputExists(place);
      throw toFileError(error, 'write', place, this.#written());
    }
    this.#open = false;
    await this.#chunks[Symbol.asyncDispose]();
    await syncDirectory(dirname(place));
    return manifest;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    await this.#chunks[Symbol.asyncDispose]();
    await this.#syncing;
    await this.#weights.close().catch(() => {});
    // The original error is reported, not one of this removal.
    await rm(this.#partial, { recursive: true, force: true }).catch(() => {});
  }

  #written(): WrittenBytes {
    return { doneBytes: this.#size, totalBytes: this.#options.totalBytes };
  }

  async #append(bytes: Uint8Array): Promise<void> {
    this.#options.signal?.throwIfAborted();
    const written = this.#written();
    // The thread hashes the bytes while the system writes them.
    const writing = writeAll(this.#weights, bytes, this.#size);
    this.#size += bytes.length;
    // After both have settled the bytes are free, also when one failed.
    const [writes, hashes] = await Promise.allSettled([writing, this.#chunks.add(bytes)]);
    if (writes.status === 'rejected') throw toFileError(writes.reason, 'write', this.#place, written);
    if (hashes.status === 'rejected') throw hashes.reason;
    this.#syncBehind();
  }

  /** Skips bytes: a file reads as zeros wherever nothing was written before its end. */
  async #skip(count: number): Promise<void> {
    this.#size += count;
    await this.#chunks.add(new Uint8Array(count));
  }

  /** Lets the disk write while more is packed, so that the last sync is short. A failure here repeats at that sync. */
  #syncBehind(): void {
    if (this.#syncing !== undefined || this.#size - this.#syncedSize < SYNC_BYTES) return;
    this.#syncedSize = this.#size;
    this.#syncing = this.#weights
      .datasync()
      .catch(() => {})
      .finally(() => (this.#syncing = undefined));
  }
}

/** The manifest for these tensors and files. */
export function toManifest(
  head: ManifestHead,
  tensors: TensorEntry[],
  files: FileEntry[],
  chunkSha256: string[],
): Manifest {
  const { id, createdBy, source, modelType, quant, layout, config, generation, chat } = head;
  return {
    format: 'troupe-artifact',
    formatVersion: FORMAT_VERSION,
    packingVersion: PACKING_VERSION,
    id,
    createdBy,
    source,
    modelType,
    quant,
    ...(layout !== undefined && { layout }),
    config,
    generation,
    chat,
    tensors,
    files,
    weights: { path: WEIGHTS_NAME, chunkBytes: CHUNK_BYTES, chunkSha256 },
  };
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
}

async function refuseExisting(place: string): Promise<void> {
  const found = await lstat(place).catch((error: unknown) => {
    // Making the directory reports an obstacle in the path.
    if (hasErrorCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw toFileError(error, 'write', place);
  });
  if (found !== null) throw outputExists(place);
}

function outputExists(place: string): AppError {
  const message = `${place} exists already; choose another place, or remove it first`;
  return new AppError('output_exists', message, { path: place });
}
