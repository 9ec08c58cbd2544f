import { createHash, randomBytes, type Hash } from 'node:crypto';
import { lstat, mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { alignUp, AppError, assert, codeOf } from '../base/index.js';
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

/** Writes one artifact, tensor after tensor. Until `finish` nothing is at its place; disposing removes what is left. */
export interface ArtifactWriter extends AsyncDisposable {
  /** Stores a file beside the weights; `path` is a lower-case name. */
  addFile(path: string, bytes: Uint8Array): Promise<void>;
  /** Appends a tensor whose packed bytes come in `pieces`, each used before the next is asked for. */
  addTensor(tensor: NewTensor, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>;
  /** Makes everything durable and puts the directory in its place. Errors: `output_exists`. */
  finish(head: ManifestHead): Promise<Manifest>;
}

/**
 * Starts an artifact at `out`, in `<out>.partial-<random>` beside it. Missing parents are made.
 * `signal` is looked at before each write. Errors: `output_exists`.
 */
export async function createArtifactWriter(out: string, signal?: AbortSignal): Promise<ArtifactWriter> {
  const place = resolve(out);
  await refuseExisting(place);
  const partial = `${place}.partial-${randomBytes(6).toString('hex')}`;
  await makeDirectory(dirname(place));
  await mkdir(partial);
  try {
    return new Writer(place, partial, await open(join(partial, WEIGHTS_NAME), 'wx'), signal);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/** Makes a directory with its parents. Node's own `recursive` never returns, and fills the memory, where nothing can be made, as in /proc. */
export async function makeDirectory(path: string): Promise<void> {
  if (await stat(path).then(Boolean, () => false)) return;
  if (dirname(path) !== path) await makeDirectory(dirname(path));
  await mkdir(path).catch((error: unknown) => {
    if (!isCode(error, ['EEXIST'])) throw error;
  });
}

class Writer implements ArtifactWriter {
  readonly #place: string;
  readonly #partial: string;
  readonly #weights: FileHandle;
  readonly #signal: AbortSignal | undefined;
  readonly #whole: Hash = createHash('sha256');
  readonly #chunkSha256: string[] = [];
  readonly #tensors: TensorEntry[] = [];
  readonly #files: FileEntry[] = [];
  #chunk: Hash = createHash('sha256');
  #size = 0;
  #open = true;

  constructor(place: string, partial: string, weights: FileHandle, signal: AbortSignal | undefined) {
    this.#place = place;
    this.#partial = partial;
    this.#weights = weights;
    this.#signal = signal;
  }

  async addFile(path: string, bytes: Uint8Array): Promise<void> {
    this.#signal?.throwIfAborted();
    await writeDurably(join(this.#partial, path), bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    this.#files.push({ path, sizeBytes: bytes.length, sha256 });
  }

  async addTensor(tensor: NewTensor, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const offset = alignUp(this.#size, TENSOR_ALIGNMENT);
    if (offset > this.#size) await this.#append(new Uint8Array(offset - this.#size));
    for await (const piece of pieces) await this.#append(piece);
    const sizeBytes = this.#size - offset;
    assert(sizeBytes === sizeOf(tensor), `tensor ${tensor.name} has ${sizeBytes} bytes`);
    const { name, kind, quant, rows, columns } = tensor;
    this.#tensors.push({ name, kind, quant, rows, columns, offset, sizeBytes });
  }

  async finish(head: ManifestHead): Promise<Manifest> {
    if (this.#size % CHUNK_BYTES !== 0) this.#closeChunk();
    await this.#weights.sync();
    await this.#weights.close();
    const weights = { path: WEIGHTS_NAME, sizeBytes: this.#size, sha256: this.#whole.digest('hex') };
    const files = [...this.#files, weights].toSorted((a, b) => (a.path < b.path ? -1 : 1));
    const manifest = toManifest(head, this.#tensors, files, this.#chunkSha256);
    const bytes = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
    // What we would not read we do not write.
    parseManifest(bytes, this.#place);
    await writeDurably(join(this.#partial, MANIFEST_NAME), bytes);
    await syncDirectory(this.#partial);
    this.#signal?.throwIfAborted();
    await refuseExisting(this.#place);
    await rename(this.#partial, this.#place).catch((error: unknown) => {
      throw isCode(error, ['ENOTEMPTY', 'EEXIST', 'ENOTDIR']) ? outputExists(this.#place) : error;
    });
    this.#open = false;
    await syncDirectory(dirname(this.#place));
    return manifest;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    await this.#weights.close().catch(() => {});
    await rm(this.#partial, { recursive: true, force: true });
  }

  async #append(bytes: Uint8Array): Promise<void> {
    this.#signal?.throwIfAborted();
    // The hashes are made while the system writes.
    const written = writeAll(this.#weights, bytes, this.#size);
    for (let start = 0; start < bytes.length;) {
      const room = CHUNK_BYTES - (this.#size % CHUNK_BYTES);
      const part = bytes.subarray(start, start + room);
      this.#chunk.update(part);
      this.#whole.update(part);
      this.#size += part.length;
      start += part.length;
      if (this.#size % CHUNK_BYTES === 0) this.#closeChunk();
    }
    await written;
  }

  #closeChunk(): void {
    this.#chunkSha256.push(this.#chunk.digest('hex'));
    this.#chunk = createHash('sha256');
  }
}

function toManifest(head: ManifestHead, tensors: TensorEntry[], files: FileEntry[], chunkSha256: string[]): Manifest {
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

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Names in a directory are durable once the directory is; systems that cannot sync one do not need it. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r').catch(() => null);
  await directory?.sync().catch(() => {});
  await directory?.close();
}

async function refuseExisting(place: string): Promise<void> {
  const found = await lstat(place).catch((error: unknown) => {
    if (isCode(error, ['ENOENT'])) return null;
    throw error;
  });
  if (found !== null) throw outputExists(place);
}

function outputExists(place: string): AppError {
  const message = `${place} exists already; choose another place, or remove it first`;
  return new AppError('output_exists', message, { path: place });
}

function isCode(error: unknown, codes: readonly string[]): boolean {
  return codes.includes(codeOf(error) ?? '');
}
