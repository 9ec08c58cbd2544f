import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { assert, makeDirectory, throwFileError } from '../../base/index.js';
import type { Download, Hub } from '../../hub/index.js';
import type { BeforeRead } from '../../weights/index.js';
import { sizeOfAll, type PlannedFile } from './file-plan.js';
import type { OnPullEvent, PullEvent } from './pull-events.js';

/** Files of one commit, and their directory. */
export interface DownloadsOptions {
  readonly hub: Hub;
  readonly repo: string;
  readonly commit: string;
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly onEvent: OnPullEvent;
  /** Bytes of all files of the pull, and the part that earlier downloads reported. */
  readonly totalBytes: number;
  readonly before: number;
}

/** Downloads that run one after the other. */
export interface Downloads {
  /** Resolves when all are whole and their hashes are right. Errors: those of the downloads. */
  readonly done: Promise<void>;
  /** Waits for bytes of one of the files. */
  readonly beforeRead: BeforeRead;
  /** Bytes that came over the network. */
  fetchedBytes(): number;
  /** How often already readable bytes were fetched again. */
  rewrites(): number;
}

/** Starts the download of `files` into the directory, one after the other; all of them are there at once, with holes. */
export async function startDownloads(files: readonly PlannedFile[], options: DownloadsOptions): Promise<Downloads> {
  const { directory, totalBytes, onEvent } = options;
  const entries = files.map((planned) => ({
    planned,
    path: pathOf(directory, planned),
    started: promised<Download>(),
  }));
  for (const { planned, path } of entries) await makePlace(directory, planned, path);
  const running: Download[] = [];
  let doneBytes = options.before;
  const run = async (): Promise<void> => {
    for (const { planned, path, started } of entries) {
      const before = doneBytes;
      const tell = (fileDoneBytes: number): void => onEvent(toEvent(planned, fileDoneBytes, before, totalBytes));
      const download = await startOne(planned, path, options, tell);
      running.push(download);
      started.resolve(download);
      await download.done;
      doneBytes += planned.file.sizeBytes;
      tell(planned.file.sizeBytes);
    }
  };
  const done = run().catch((error: unknown) => {
    for (const { started } of entries) started.reject(error);
    throw error;
  });
  done.catch(() => {});
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  return {
    done,
    async beforeRead(path, start, end) {
      const entry = byPath.get(path);
      // Small files were there before.
      if (entry === undefined) return;
      const download = await entry.started.promise;
      await download.waitFor(start, Math.min(end, entry.planned.file.sizeBytes));
    },
    fetchedBytes: () => running.reduce((sum, { fetchedBytes }) => sum + fetchedBytes, 0),
    rewrites: () => running.reduce((sum, { rewrites }) => sum + rewrites, 0),
  };
}

function toEvent({ file, name }: PlannedFile, fileDoneBytes: number, before: number, totalBytes: number): PullEvent {
  const digest = `${file.hash.kind === 'sha256' ? 'sha256' : 'git'}:${file.hash.hex}`;
  const doneBytes = before + fileDoneBytes;
  return { kind: 'download', file: name, digest, fileDoneBytes, fileBytes: file.sizeBytes, doneBytes, totalBytes };
}

/** The path of a file. Its name is one of ours, or was checked as plain. */
export function pathOf(directory: string, { name, folder = '' }: PlannedFile): string {
  assert(/^[A-Za-z0-9][\w.-]*$/.test(name), 'only plain names are planned');
  return join(directory, folder, name);
}

/** Bytes of all files. */
export function totalOf(...lists: (readonly PlannedFile[])[]): number {
  return lists.reduce((sum, files) => sum + sizeOfAll(files), 0);
}

async function startOne(
  { file, name }: PlannedFile,
  path: string,
  { hub, repo, commit, signal, onEvent }: DownloadsOptions,
  onBytes: (bytes: number) => void,
): Promise<Download> {
  return hub.fetchFile({
    repo,
    commit,
    file,
    path,
    signal,
    onBytes,
    onRetry: (retry) => onEvent({ kind: 'retry', file: name, ...retry }),
    onNote: (text) => onEvent({ kind: 'note', text: `${name}: ${text}` }),
  });
}

/** A reader opens all files of a model before it waits for bytes of one. */
async function makePlace(directory: string, planned: PlannedFile, path: string): Promise<void> {
  await makeDirectory(join(directory, planned.folder ?? '')).catch(throwFileError('write', directory));
  const file = await open(path, 'a').catch(throwFileError('write', path));
  try {
    const { size } = await file.stat();
    if (size !== planned.file.sizeBytes) await file.truncate(planned.file.sizeBytes);
  } catch (error) {
    throwFileError('write', path)(error);
  } finally {
    await file.close();
  }
}

/** A promise with its resolvers; its rejection is never an unhandled one. */
function promised<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let [resolve, reject]: [(value: T) => void, (error: unknown) => void] = [() => {}, () => {}];
  const promise = new Promise<T>((...ends) => ([resolve, reject] = ends));
  promise.catch(() => {});
  return { promise, resolve, reject };
}
