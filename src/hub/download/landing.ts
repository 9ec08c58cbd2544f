import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { assert, present, throwFileError } from '../../base/index.js';
import { emptyPartMap, lengthOf, readPartMap, writePartMap, type PartMap, type PartState } from './part-map.js';

/** Waits for bytes of a file. */
interface Waiter {
  readonly start: number;
  readonly end: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The name of the map beside a file. */
export const MAP_SUFFIX = '.parts.json';

/**
 * A file while its bytes come, in any order, and its part map. The map is written anew each time that a quarter of a part
 * has come since: so a process that is killed has at most as much fetched in vain. Owns the open file.
 */
export class Landing implements AsyncDisposable {
  readonly path: string;
  readonly #file: FileHandle;
  #map: PartMap;
  #unsaved = 0;
  #saving: Promise<void> | undefined;
  #waiters: Waiter[] = [];
  #failure: { readonly error: unknown } | undefined;
  /** Told of each change of `frontierBytes`. */
  onFrontier: (bytes: number) => void = () => {};
  #frontier = 0;

  private constructor(path: string, file: FileHandle, map: PartMap) {
    this.path = path;
    this.#file = file;
    this.#map = map;
    this.#frontier = this.#findFrontier();
  }

  /**
   * Opens or creates the file at `path` in its final size, with the bytes of this content that an earlier process left.
   * Errors: those of writing files.
   */
  static async open(path: string, hash: string, sizeBytes: number): Promise<Landing> {
    // Never write through a symbolic link at this path.
    const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
    const file = await open(path, flags, 0o666).catch(throwFileError('write', path));
    try {
      const found = await file.stat();
      const known = found.size === sizeBytes ? await readPartMap(path + MAP_SUFFIX, hash, sizeBytes) : undefined;
      if (found.size !== sizeBytes) await file.truncate(sizeBytes);
      return new Landing(path, file, known ?? emptyPartMap(hash, sizeBytes));
    } catch (error) {
      await file.close();
      return throwFileError('write', path)(error);
    }
  }

  get map(): PartMap {
    return this.#map;
  }

  /** Bytes that are there. */
  get doneBytes(): number {
    return this.#map.parts.reduce((sum, { have }) => sum + have, 0);
  }

  get isComplete(): boolean {
    return this.#frontier === this.#map.sizeBytes;
  }

  /** Bytes from the beginning without a gap. */
  get frontierBytes(): number {
    return this.#frontier;
  }

  part(index: number): PartState {
    return present(this.#map.parts[index], 'a part of the map');
  }

  /**
   * Writes `pieces` behind the existing bytes of part `index`. One call at a time for a part. Errors: those of writing
   * files.
   */
  async append(index: number, pieces: readonly Uint8Array[]): Promise<void> {
    const map = this.#map;
    const part = this.part(index);
    const sizeBytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    assert(part.have + sizeBytes <= lengthOf(map, index), 'no part is longer than it is');
    const position = index * map.partBytes + part.have;
    let left = pieces;
    for (let done = 0; done < sizeBytes;) {
      const { bytesWritten } = await this.#file.writev(left, position + done).catch(throwFileError('write', this.path));
      done += bytesWritten;
      left = withoutFirst(left, bytesWritten);
    }
    // The download has started again since.
    if (map !== this.#map) return;
    for (const piece of pieces) part.crc = crc32(piece, part.crc);
    part.have += sizeBytes;
    this.#moveFrontier();
    this.#wake();
    this.#unsaved += sizeBytes;
    if (this.#unsaved >= map.partBytes / 4 && this.#saving === undefined) {
      // A map that cannot be written costs a later process time, and does not fail this one.
      this.#saving = this.save()
        .catch(() => {})
        .finally(() => (this.#saving = undefined));
    }
  }

  /** Resolves when the bytes from `start` to `end` have arrived. Errors: the error that `fail` got. */
  async waitFor(start: number, end: number): Promise<void> {
    if (this.#has(start, end)) return;
    if (this.#failure !== undefined) throw this.#failure.error;
    await new Promise<void>((resolve, reject) => this.#waiters.push({ start, end, resolve, reject }));
  }

  /** Rejects the reads that wait for bytes which will not come. */
  fail(error: unknown): void {
    this.#failure = { error };
    for (const { reject } of this.#waiters.splice(0)) reject(error);
  }

  /** Nothing is there any more; `partBytes`: of other parts than before. */
  reset(etag: string | null, partBytes = this.#map.partBytes): void {
    const { hash, sizeBytes } = this.#map;
    this.#map = { ...emptyPartMap(hash, sizeBytes, partBytes), etag };
    this.#frontier = 0;
    this.onFrontier(0);
  }

  /** Nothing of one part is there any more. */
  resetPart(index: number): void {
    Object.assign(this.part(index), { have: 0, crc: 0 });
    this.#frontier = this.#findFrontier();
    this.onFrontier(this.#frontier);
  }

  /** Reads bytes that have arrived. Errors: those of reading files. */
  async read(into: Uint8Array, position: number): Promise<number> {
    const { bytesRead } = await this.#file
      .read(into, 0, into.length, position)
      .catch(throwFileError('read', this.path));
    return bytesRead;
  }

  /** Writes the map. Errors: those of writing files. */
  async save(): Promise<void> {
    this.#unsaved = 0;
    await writePartMap(this.path + MAP_SUFFIX, this.#map).catch(throwFileError('write', this.path));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#saving;
    await this.save().catch(() => {});
    await this.#file.close();
  }

  #has(start: number, end: number): boolean {
    const { partBytes, parts } = this.#map;
    if (end <= this.#frontier) return true;
    for (let index = Math.floor(start / partBytes); index * partBytes < end; index++) {
      if (index * partBytes + (parts[index]?.have ?? Infinity) < Math.min(end, (index + 1) * partBytes)) return false;
    }
    return true;
  }

  #wake(): void {
    if (this.#waiters.length === 0) return;
    const [ready, waiting] = [[] as Waiter[], [] as Waiter[]];
    for (const waiter of this.#waiters) (this.#has(waiter.start, waiter.end) ? ready : waiting).push(waiter);
    this.#waiters = waiting;
    for (const { resolve } of ready) resolve();
  }

  #moveFrontier(): void {
    const frontier = this.#findFrontier(Math.floor(this.#frontier / this.#map.partBytes));
    if (frontier === this.#frontier) return;
    this.#frontier = frontier;
    this.onFrontier(frontier);
  }

  #findFrontier(from = 0): number {
    const map = this.#map;
    let index = from;
    while (index < map.parts.length && this.part(index).have === lengthOf(map, index)) index++;
    return index === map.parts.length ? map.sizeBytes : index * map.partBytes + this.part(index).have;
  }
}

/** The rest of `pieces` behind their first `sizeBytes` bytes: a write may take less than all. */
function withoutFirst(pieces: readonly Uint8Array[], sizeBytes: number): readonly Uint8Array[] {
  let skipped = sizeBytes;
  return pieces.flatMap((piece) => {
    const left = piece.subarray(skipped);
    skipped = Math.max(0, skipped - piece.length);
    return left.length === 0 ? [] : [left];
  });
}
