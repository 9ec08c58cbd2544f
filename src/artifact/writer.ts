import { createHash } from 'node:crypto';
import { lstat, mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  alignUp,
  checkDiskRoom,
  AppError,
  assert,
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
import { parseManifest, sizeOf } from './parse-manifest.js';

/** What the converter knows of a model; the writer knows the rest of the manifest. */
export type ManifestHead = Pick<
  Manifest,
  'id' | 'createdBy' | 'source' | 'modelType' | 'quant' | 'config' | 'generation' | 'chat'
>;

/** A tensor to be written. */
export type NewTensor = Pick<TensorEntry, 'name' | 'kind' | 'quant' | 'rows' | 'columns'>;

/** How an artifact is written. */
export interface WriterOptions {
  /** Looked at before each write. */
  readonly signal?: AbortSignal | undefined;
  /** Bytes that the weights will have: where there is no room for them, nothing begins. */
  readonly totalBytes?: number;
  /** What can be done where there is no room, the end of a sentence. */
  readonly whenFull?: string | undefined;
  /** Gives another place than `out`, when all is written and nothing is there yet; what it throws ends it. */
  readonly choosePlace?: (() => Promise<string>) | undefined;
}

/** Bytes after which the disk is asked to write them. */
const SYNC_BYTES = 64 * 1024 * 1024;

/** Writes one artifact, tensor after tensor. Until `finish` nothing is at its place; disposing removes what is left. */
export interface ArtifactWriter extends AsyncDisposable {
  /** Stores a file beside the weights; `path` is a lower-case name. Errors: those of writing files. */
  addFile(path: string, bytes: Uint8Array): Promise<void>;
  /** Appends a tensor whose packed bytes come in `pieces`, each used before the next is asked for. Errors: those of writing files. */
  addTensor(tensor: NewTensor, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>;
  /** Makes everything durable and puts the directory in its place. Errors: `output_exists`, those of writing files. */
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
    // It may fail while this thread hashes.
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
    assert(sizeBytes === sizeOf(tensor), `tensor ${tensor.name} has ${sizeBytes} bytes`);
    const { name, kind, quant, rows, columns } = tensor;
    this.#tensors.push({ name, kind, quant, rows, columns, offset, sizeBytes });
  }

  async finish(head: ManifestHead): Promise<Manifest> {
    const chunkSha256 = await this.#chunks.finish();
    const weights = { path: WEIGHTS_NAME, sizeBytes: this.#size };
    const files = [...this.#files, weights].toSorted((a, b) => (a.path < b.path ? -1 : 1));
    const manifest = toManifest(head, this.#tensors, files, chunkSha256);
    const bytes = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
    // What we would not read we do not write.
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
    // The error that ended the work is the one to be heard.
    await rm(this.#partial, { recursive: true, force: true }).catch(() => {});
  }

  #written(): WrittenBytes {
    return { doneBytes: this.#size, totalBytes: this.#options.totalBytes };
  }

  async #append(bytes: Uint8Array): Promise<void> {
    this.#options.signal?.throwIfAborted();
    const written = this.#written();
    // They are hashed while the system writes them.
    const writing = writeAll(this.#weights, bytes, this.#size);
    this.#size += bytes.length;
    // Neither uses them any more when one of them has failed.
    const [writes, hashes] = await Promise.allSettled([writing, this.#chunks.add(bytes)]);
    if (writes.status === 'rejected') throw toFileError(writes.reason, 'write', this.#place, written);
    if (hashes.status === 'rejected') throw hashes.reason;
    this.#syncBehind();
  }

  /** Zeros, which a file has wherever nothing was written before its end. */
  async #skip(count: number): Promise<void> {
    this.#size += count;
    await this.#chunks.add(new Uint8Array(count));
  }

  /** Has the disk write while more is packed, so that the last sync finds little to do. What fails here fails there again. */
  #syncBehind(): void {
    if (this.#syncing !== undefined || this.#size - this.#syncedSize < SYNC_BYTES) return;
    this.#syncedSize = this.#size;
    this.#syncing = this.#weights
      .datasync()
      .catch(() => {})
      .finally(() => (this.#syncing = undefined));
  }
}

/** The manifest of these tensors and files. */
export function toManifest(
  head: ManifestHead,
  tensors: TensorEntry[],
  files: FileEntry[],
  chunkSha256: string[],
): Manifest {
  const { id, createdBy, source, modelType, quant, config, generation, chat } = head;
  return {
    format: 'troupe-artifact',
    formatVersion: FORMAT_VERSION,
    packingVersion: PACKING_VERSION,
    id,
    createdBy,
    source,
    modelType,
    quant,
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
    // What is in the way of the path is told by making its directory.
    if (hasErrorCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw toFileError(error, 'write', place);
  });
  if (found !== null) throw outputExists(place);
}

function outputExists(place: string): AppError {
  const message = `${place} exists already; choose another place, or remove it first`;
  return new AppError('output_exists', message, { path: place });
}
