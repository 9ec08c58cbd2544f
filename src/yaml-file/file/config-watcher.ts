// Follows a configuration file: a valid file replaces the configuration in use; an invalid one is reported and changes nothing.
import { watch, type FSWatcher } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import {
  every,
  isAppError,
  systemClock,
  toErrorData,
  type AppError,
  type Clock,
  type ErrorData,
} from '../../base/index.js';
import type { Problem } from '../parse/problems.js';
import { readConfigText } from './config-file.js';
import type { FileKind } from './file-kind.js';

/** An editor writes a file in several steps, as by moving the old one away first; it is read once they have ended. */
const DEBOUNCE_MS = 200;
/** In debounce times: a file that is written without end is looked at nevertheless. */
const MAX_DEBOUNCES = 10;
/** Polled: file systems of networks and of containers report nothing, and a system may have no watches left. */
const POLL_MS = 5000;

/** A file that can be used. */
export interface ParsedFile<Config> {
  readonly config: Config;
  readonly warnings: readonly Problem[];
}

/** A file in use. */
export interface FileInUse<Config> extends ParsedFile<Config> {
  /** Of the text that it was read from. */
  readonly etag: string;
}

/** The result of a check of the file. */
export type FileOutcome<Config> =
  | { readonly state: 'unchanged' }
  /** `needRestart`: fields that changed and that a running program cannot take up. */
  | { readonly state: 'changed'; readonly inUse: FileInUse<Config>; readonly needRestart: readonly string[] }
  /** The file in use stays in use. */
  | { readonly state: 'refused'; readonly error: ErrorData };

/** The content of a file of a kind. */
export interface WatchedKind<Config> {
  readonly kind: FileKind;
  /** Errors: `invalid` of the kind. */
  readonly parse: (text: string, path: string) => ParsedFile<Config>;
  /** Names of the fields that changed and are taken once, when a program starts. */
  readonly findNeedRestart: (before: Config, after: Config) => readonly string[];
}

/** How a file is followed. */
export interface FileWatcherOptions<Config> {
  /** Takes each change and each refusal, in their order and each once. It must not throw: its errors are not caught. */
  readonly onOutcome: (outcome: Exclude<FileOutcome<Config>, { state: 'unchanged' }>) => void;
  readonly clock?: Clock;
  readonly debounceMs?: number;
  readonly pollMs?: number;
}

/** A file that is followed until it is disposed of. */
export interface FileWatcher<Config> extends AsyncDisposable {
  readonly inUse: FileInUse<Config>;
  /** Looks at once, as on SIGHUP. A file that is still refused is reported again. */
  reload(): Promise<FileOutcome<Config>>;
}

/**
 * Reads the file at `path` and follows its changes. Errors: those of reading and of parsing, since nothing is in use
 * yet.
 */
export async function watchConfigFile<Config>(
  path: string,
  watched: WatchedKind<Config>,
  options: FileWatcherOptions<Config>,
): Promise<FileWatcher<Config>> {
  const { kind, parse, findNeedRestart } = watched;
  const { onOutcome, clock = systemClock, debounceMs = DEBOUNCE_MS, pollMs = POLL_MS } = options;
  const { text, etag } = await readConfigText(kind, path);
  let inUse: FileInUse<Config> = { ...parse(text, path), etag };
  let lastRefusal = '';
  let lastStat = await signatureOf(path);
  let isClosed = false;
  let cancelDebounce = (): void => {};
  let pendingSinceMs: number | undefined;
  // One check after the other: each compares with the result of the one before.
  let looks: Promise<unknown> = Promise.resolve();

  async function look(isAsked: boolean): Promise<FileOutcome<Config>> {
    if (isClosed) return { state: 'unchanged' };
    lastStat = await signatureOf(path);
    const found = await tryRead(path, watched);
    if (isClosed) return { state: 'unchanged' };
    if ('error' in found) {
      const refusal = `${found.error.code} ${found.error.message}`;
      const isKnown = refusal === lastRefusal && !isAsked;
      lastRefusal = refusal;
      return isKnown ? { state: 'unchanged' } : tell({ state: 'refused', error: found.error });
    }
    const wasRefused = lastRefusal !== '';
    lastRefusal = '';
    // After a reported refusal, report too that the file matches the configuration in use again.
    if (found.inUse.etag === inUse.etag && !wasRefused) return { state: 'unchanged' };
    const needRestart = findNeedRestart(inUse.config, found.inUse.config);
    inUse = found.inUse;
    return tell({ state: 'changed', inUse, needRestart });
  }

  function tell(outcome: Exclude<FileOutcome<Config>, { state: 'unchanged' }>): FileOutcome<Config> {
    onOutcome(outcome);
    return outcome;
  }

  function lookInTurn(isAsked: boolean): Promise<FileOutcome<Config>> {
    const next = looks.then(() => look(isAsked));
    looks = next.catch(() => {});
    return next;
  }

  function lookSoon(): void {
    if (isClosed) return;
    const nowMs = clock.nowMs();
    pendingSinceMs ??= nowMs;
    if (nowMs - pendingSinceMs >= MAX_DEBOUNCES * debounceMs) return;
    cancelDebounce();
    cancelDebounce = clock.after(debounceMs, () => {
      pendingSinceMs = undefined;
      void lookInTurn(false);
    });
  }

  const watchers = watchDirectory(path, lookSoon);
  const stopPolling = every(pollMs, clock, () => {
    void signatureOf(path).then((found) => {
      if (found !== lastStat) lookSoon();
    });
  });

  return {
    get inUse() {
      return inUse;
    },
    reload: () => lookInTurn(true),
    async [Symbol.asyncDispose]() {
      isClosed = true;
      cancelDebounce();
      stopPolling();
      watchers?.close();
      await looks;
    },
  };
}

/** Watches the directory, since editors and `updateConfigFile` replace the file. */
function watchDirectory(path: string, onChange: () => void): FSWatcher | undefined {
  const name = basename(path);
  try {
    // Where the file is a link, as in Kubernetes, another name of the directory changes: polling sees that.
    const watcher = watch(dirname(resolve(path)), { persistent: false }, (_, changed) => {
      if (changed === null || changed === name) onChange();
    });
    // Without watches polling is left.
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

/** The properties that change when a file is written or replaced; for a link, those of its target. */
async function signatureOf(path: string): Promise<string> {
  return stat(path, { bigint: true }).then(
    ({ dev, ino, size, mtimeNs, ctimeNs }) => [dev, ino, size, mtimeNs, ctimeNs].join(' '),
    () => 'missing',
  );
}

async function tryRead<Config>(
  path: string,
  { kind, parse }: WatchedKind<Config>,
): Promise<{ readonly inUse: FileInUse<Config> } | { readonly error: ErrorData }> {
  try {
    const { text, etag } = await readConfigText(kind, path);
    return { inUse: { ...parse(text, path), etag } };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { error: toErrorData(error satisfies AppError) };
  }
}
