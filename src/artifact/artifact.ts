import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, assert, hasErrorCode, present, throwFileError } from '../base/index.js';
import { corrupt, manifestInvalid } from './errors.js';
import { loadWeights, type FillOptions, type TensorTarget } from './load-weights.js';
import {
  MANIFEST_NAME,
  MAX_MANIFEST_BYTES,
  MAX_SIGNATURE_BYTES,
  SIGNATURE_NAME,
  WEIGHTS_NAME,
  type Manifest,
  type TensorEntry,
} from './manifest.js';
import type { ModelSource, Signable } from './model-source.js';
import { parseManifest } from './parse-manifest.js';

/** Bytes of one read of a tensor. */
const READ_BYTES = 16 * 1024 * 1024;
/** Limit of files beside the weights: the largest published tokenizer.json has 34 MB. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

/**
 * An open artifact. Its files stay open, so reads return the checked files, whatever happens to the directory. Opening
 * checks the small files; `loadWeights` or `verifyWeights` check the weights.
 */
export interface Artifact extends ModelSource {
  /** Descriptor of weights.bin, good in every thread while the artifact is open. */
  readonly weightsFd: number;
  readonly signable: Signable;
  /** Fills `into`, exactly the packed size of the tensor, without checking hashes. Errors: `artifact_corrupt`. */
  readTensor(entry: TensorEntry, into: Uint8Array): Promise<void>;
  /** Hashes every chunk of the weights. Errors: `artifact_corrupt`, the reason of the signal. */
  verifyWeights(options?: FillOptions): Promise<void>;
}

/**
 * Opens and checks an artifact directory: manifest, the list of files, their sizes, the hashes of all but the weights.
 * Errors: `artifact_not_found`, `artifact_invalid`, `artifact_version`, `artifact_corrupt`; `access_denied` and the other
 * errors of reading files.
 */
export async function openArtifact(directory: string): Promise<Artifact> {
  return openChecked(directory).catch(throwFileError('read', directory));
}

/** An artifact's manifest and signature, without its other files. */
export interface ArtifactHead {
  readonly manifest: Manifest;
  readonly signable: Signable;
}

/**
 * Reads manifest and signature of an artifact and checks the names of its files. This is cheap and proves nothing about
 * the other files' content. Errors: those of `openArtifact`.
 */
export async function readArtifactHead(directory: string): Promise<ArtifactHead> {
  return readHead(directory).catch(throwFileError('read', directory));
}

/** Whether every file of an artifact exists with its size. Reads only the manifest. */
export async function isWholeArtifact(directory: string): Promise<boolean> {
  try {
    const { manifest } = await readManifestFile(directory);
    const { files } = manifest;
    const found = await Promise.all(files.map(({ path }) => lstat(join(directory, path))));
    return found.every((file, index) => file.isFile() && file.size === files[index]?.sizeBytes);
  } catch {
    return false;
  }
}

async function openChecked(directory: string): Promise<Artifact> {
  const { manifest, signable } = await readHead(directory);
  const small = new Map<string, Uint8Array>();
  let weights: FileHandle | undefined;
  try {
    for (const entry of manifest.files) {
      const file = await openListed(directory, entry.path, entry.sizeBytes);
      if (entry.path === WEIGHTS_NAME) {
        weights = file;
        continue;
      }
      const bytes = await readAndClose(file);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      if (sha256 !== entry.sha256) throw corrupt(directory, entry.path, 'is altered: its SHA-256 is another');
      small.set(entry.path, bytes);
    }
  } catch (error) {
    await weights?.close();
    throw error;
  }
  return new OpenArtifact(directory, { manifest, signable }, present(weights, 'a manifest lists the weights'), small);
}

async function readHead(directory: string): Promise<ArtifactHead> {
  const { manifest, manifestFile } = await readManifestFile(directory);
  const isSigned = await checkListing(directory, manifest);
  const signature = isSigned ? await readSmall(directory, SIGNATURE_NAME, MAX_SIGNATURE_BYTES) : undefined;
  return { manifest, signable: { manifestFile, signature } };
}

class OpenArtifact implements Artifact {
  readonly directory: string;
  readonly manifest: Manifest;
  readonly signable: Signable;
  readonly #weights: FileHandle;
  readonly #small: ReadonlyMap<string, Uint8Array>;
  #open = true;

  constructor(directory: string, head: ArtifactHead, weights: FileHandle, small: ReadonlyMap<string, Uint8Array>) {
    this.directory = directory;
    this.manifest = head.manifest;
    this.signable = head.signable;
    this.#weights = weights;
    this.#small = small;
  }

  get weightsFd(): number {
    return this.#weights.fd;
  }

  async readTensor(entry: TensorEntry, into: Uint8Array): Promise<void> {
    assert(into.length === entry.sizeBytes, `target of ${entry.name} has ${into.length} bytes`);
    for (let done = 0; done < into.length;) {
      const length = Math.min(READ_BYTES, into.length - done);
      const { bytesRead } = await this.#weights
        .read(into, done, length, entry.offset + done)
        .catch(throwFileError('read', join(this.directory, WEIGHTS_NAME)));
      if (bytesRead === 0) throw corrupt(this.directory, WEIGHTS_NAME, 'ended while it was read');
      done += bytesRead;
    }
  }

  async readFile(path: string): Promise<Uint8Array> {
    const bytes = this.#small.get(path);
    if (bytes !== undefined) return bytes;
    throw new AppError('artifact_not_found', `the artifact ${this.directory} has no file ${path}`, { path });
  }

  async fill(placements: readonly TensorTarget[], options: FillOptions): Promise<void> {
    await loadWeights(this, placements, { verify: true, ...options });
  }

  async verifyWeights(options: FillOptions = {}): Promise<void> {
    await loadWeights(this, [], { verify: true, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    await this.#weights.close();
  }
}

/**
 * The manifest of the artifact in `directory`; no other file is read. Errors: as `openArtifact`, and those of the
 * system.
 */
export async function readManifest(directory: string): Promise<Manifest> {
  return (await readManifestFile(directory)).manifest;
}

async function readManifestFile(directory: string): Promise<{ manifest: Manifest } & Pick<Signable, 'manifestFile'>> {
  const bytes = await readSmall(directory, MANIFEST_NAME, MAX_MANIFEST_BYTES);
  if (bytes === undefined) {
    const isCheckpoint = await lstat(join(directory, 'config.json')).then(Boolean, () => false);
    const hint = isCheckpoint ? '; it looks like a checkpoint: convert it first' : '';
    const message = `there is no artifact at ${directory}: it has no ${MANIFEST_NAME}${hint}`;
    throw new AppError('artifact_not_found', message, { directory });
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const manifestFile = { path: MANIFEST_NAME, sizeBytes: bytes.length, sha256 };
  return { manifest: parseManifest(bytes, directory), manifestFile };
}

/** Reads a file without a stated size; undefined when it does not exist. */
async function readSmall(directory: string, name: string, maxBytes: number): Promise<Uint8Array | undefined> {
  const found = await lstat(join(directory, name)).catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  });
  if (found === null) return undefined;
  if (found.size > maxBytes)
    throw manifestInvalid(directory, `${name} has ${found.size} bytes; the limit is ${maxBytes}`);
  return readAndClose(await openListed(directory, name, found.size));
}

async function readAndClose(file: FileHandle): Promise<Uint8Array> {
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Checks that every file is listed and every listed file exists. Returns whether there is the optional signature. */
async function checkListing(directory: string, manifest: Manifest): Promise<boolean> {
  const listed = new Set([MANIFEST_NAME, ...manifest.files.map(({ path }) => path)]);
  let isSigned = false;
  for (const name of await readdir(directory)) {
    if (name === SIGNATURE_NAME) isSigned = true;
    else if (!listed.delete(name)) throw corrupt(directory, JSON.stringify(name), 'is not listed in the manifest');
  }
  for (const missing of listed) throw corrupt(directory, missing, 'is missing');
  return isSigned;
}

/** Opens a regular file of the stated size; a link is refused by the open itself. */
async function openListed(directory: string, name: string, sizeBytes: number): Promise<FileHandle> {
  const path = join(directory, name);
  if (!(await lstat(path)).isFile()) throw corrupt(directory, name, 'is not a regular file');
  // A link may appear between lstat and open; O_NOFOLLOW is absent on Windows, where making links takes privileges.
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw corrupt(directory, name, 'is not a regular file');
    if (stat.size !== sizeBytes) throw corrupt(directory, name, `has ${stat.size} bytes instead of ${sizeBytes}`);
    if (name !== WEIGHTS_NAME && stat.size > MAX_FILE_BYTES) {
      throw manifestInvalid(directory, `${name} has ${stat.size} bytes; the limit is ${MAX_FILE_BYTES}`);
    }
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
