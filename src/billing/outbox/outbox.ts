// Settlements that wait for the database, in an append-only file. An append resolves only once the disk has its line.
// The file is emptied once the database has all of it. A repeated line does no harm: each request ends once.

import { open, type FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import {
  AppError,
  isAppError,
  isError,
  lockOwner,
  toFileError,
  tryLock,
  type Clock,
  type FileLock,
  type LogEntry,
} from '../../base/index.js';
import type { Settlement } from '../books/settlement.js';

/** Options of an outbox. */
export interface OutboxOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly log: (entry: LogEntry) => void;
}

/** Some 200,000 settlements. Beyond it they wait in memory, and nothing new is admitted. */
const MAX_BYTES = 128 * 2 ** 20;
/** Settlements that are replayed at once. */
const BATCH = 500;

/** The outbox of a node. */
export class Outbox implements AsyncDisposable {
  readonly #file: FileHandle;
  readonly #lock: FileLock;
  readonly #options: OutboxOptions;
  #sizeBytes: number;
  /** In the file and not in the database. */
  #pending: Settlement[];
  #waiting: {
    readonly settlement: Settlement;
    readonly resolve: () => void;
    readonly reject: (error: unknown) => void;
  }[] = [];
  #writing: Promise<void> | undefined;
  #replaying: Promise<void> | undefined;

  private constructor(
    { file, lock }: { file: FileHandle; lock: FileLock },
    options: OutboxOptions,
    pending: Settlement[],
    sizeBytes: number,
  ) {
    this.#file = file;
    this.#lock = lock;
    this.#options = options;
    this.#pending = pending;
    this.#sizeBytes = sizeBytes;
  }

  /**
   * Opens the file for this process alone, and creates a missing one. Cuts off the torn last line of a crash: its
   * append never resolved. Errors: `outbox_unusable`.
   */
  static async open(options: OutboxOptions): Promise<Outbox> {
    const { path, clock } = options;
    const lock = await takeLock(path, clock);
    try {
      return await Outbox.#read(options, lock);
    } catch (error) {
      await lock[Symbol.asyncDispose]();
      throw unusable(path, error);
    }
  }

  static async #read(options: OutboxOptions, lock: FileLock): Promise<Outbox> {
    const { path, log } = options;
    const file = await open(path, 'a+', 0o600);
    const text = await file.readFile('utf8');
    const end = text.lastIndexOf('\n') + 1;
    const lines = text.slice(0, end).split('\n').slice(0, -1);
    const read = lines.map(readOutboxLine);
    const pending = read.filter((one) => one !== undefined);
    const damaged = lines.filter((_, i) => read[i] === undefined);
    if (damaged.length > 0) {
      log({ event: 'outbox damaged', path, lines: damaged.length, kept: `${path}.damaged` });
      await keepAside(`${path}.damaged`, damaged);
    }
    const sizeBytes = Buffer.byteLength(text.slice(0, end));
    if (end < text.length) await file.truncate(sizeBytes);
    return new Outbox({ file, lock }, options, pending, sizeBytes);
  }

  /** Settlements that wait for the database. */
  get depth(): number {
    return this.#pending.length + this.#waiting.length;
  }

  /** Whether the file has anything in it, in the database or not. */
  get hasBytes(): boolean {
    return this.#sizeBytes > 0;
  }

  /** Whether the outbox is full. */
  get isFull(): boolean {
    return this.#sizeBytes >= MAX_BYTES;
  }

  /**
   * Resolves when the settlement is on the disk. Settlements of one moment share an fsync. Errors: `outbox_unusable`.
   */
  append(settlement: Settlement): Promise<void> {
    if (this.isFull)
      return Promise.reject(unusable(this.#options.path, new Error(`it has its most, ${MAX_BYTES} bytes`)));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ settlement, resolve, reject });
      this.#start(() => this.#write());
    });
  }

  /** Passes all settlements to `settle`, then empties the file. Only one replay runs. Errors: those of `settle`. */
  replay(settle: (settlement: Settlement) => Promise<void>): Promise<void> {
    this.#replaying ??= this.#replay(settle).finally(() => (this.#replaying = undefined));
    return this.#replaying;
  }

  /** Moves a settlement that can never be written to a separate file, for the operator. */
  setAside(settlement: Settlement): Promise<void> {
    return keepAside(`${this.#options.path}.refused`, [writeLine(settlement).trimEnd()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing;
    await this.#replaying?.catch(() => {});
    await this.#file.close();
    await this.#lock[Symbol.asyncDispose]();
  }

  async #replay(settle: (settlement: Settlement) => Promise<void>): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.slice(0, BATCH);
      await Promise.all(batch.map(settle));
      this.#pending.splice(0, batch.length);
    }
    await this.#writing;
    // The file also has later settlements: it is emptied once none of them waits.
    if (this.depth > 0 || this.#sizeBytes === 0) return;
    this.#start(() => this.#empty());
    await this.#writing;
  }

  /** Runs one piece of work on the file at a time, then writes the waiting settlements. */
  #start(work: () => Promise<void>): void {
    this.#writing ??= work().finally(() => {
      this.#writing = undefined;
      if (this.#waiting.length > 0) this.#start(() => this.#write());
    });
  }

  async #empty(): Promise<void> {
    await this.#file.truncate(0);
    await this.#file.sync();
    this.#sizeBytes = 0;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0);
      const bytes = Buffer.from(batch.map(({ settlement }) => writeLine(settlement)).join(''));
      const before = this.#sizeBytes;
      try {
        this.#sizeBytes += bytes.length;
        await this.#file.appendFile(bytes);
        await this.#file.sync();
        this.#pending.push(...batch.map(({ settlement }) => settlement));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        // Half a line at the end would hide the lines after it.
        await this.#file.truncate(before).catch(() => {});
        this.#sizeBytes = before;
        for (const { reject } of batch) reject(unusable(this.#options.path, error));
      }
    }
  }
}

/** Two processes on one file would empty it under each other. */
async function takeLock(path: string, clock: Clock): Promise<FileLock> {
  const lock = await tryLock(`${path}.lock`, clock).catch((error: unknown) => {
    throw unusable(path, error);
  });
  if (lock !== null) return lock;
  const pid = await lockOwner(`${path}.lock`);
  const owner = pid === undefined ? 'another process' : `process ${pid}`;
  const message = `the outbox ${path} is in use by ${owner}; stop that, ask it, or choose another data directory`;
  throw new AppError('outbox_unusable', message, { path, ...(pid !== undefined && { pid }) });
}

async function keepAside(path: string, lines: readonly string[]): Promise<void> {
  await using file = await open(path, 'a', 0o600);
  await file.appendFile(`${lines.join('\n')}\n`);
  await file.sync();
}

function unusable(path: string, error: unknown): AppError {
  if (isAppError(error) && error.code === 'outbox_unusable') return error;
  const known = toFileError(error, 'write', path);
  const reason = isError(known) ? known.message : String(known);
  return new AppError('outbox_unusable', `the outbox cannot be used: ${reason}`, { path, reason }, { cause: error });
}

// A settlement as a line of a file: JSON behind its CRC-32, which detects a torn or damaged line.
const SEPARATOR = ' ';
const CRC_LENGTH = 8;

/** With its line end. */
export function writeLine(settlement: Settlement): string {
  const text = JSON.stringify(settlement, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
  return `${checkOf(text)}${SEPARATOR}${text}\n`;
}

/** Undefined for a damaged line. */
function readOutboxLine(line: string): Settlement | undefined {
  const text = line.slice(CRC_LENGTH + SEPARATOR.length);
  if (text === '' || line.slice(0, CRC_LENGTH) !== checkOf(text)) return undefined;
  return JSON.parse(text, (key, value: unknown) =>
    key.endsWith('Micro') && typeof value === 'string' ? BigInt(value.slice(0, -1)) : value,
  ) as Settlement;
}

function checkOf(text: string): string {
  return crc32(text).toString(16).padStart(CRC_LENGTH, '0');
}
