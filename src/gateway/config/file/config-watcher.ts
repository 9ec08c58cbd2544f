// Follows gateway.yaml: what is valid takes the place of what was before, what is not is told of and changes nothing.
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
} from '../../../base/index.js';
import type { GatewayConfig } from '../gateway-config.js';
import { parseGatewayConfig, type ParsedConfig } from '../parse/parse-gateway-config.js';
import type { Problem } from '../parse/problems.js';
import { readConfigText } from './config-file.js';

/** An editor writes a file in several steps, as by moving the old one away first; it is read once they have ended. */
const DEBOUNCE_MS = 200;
/** In debounce times: a file that is written without end is looked at nevertheless. */
const MAX_DEBOUNCES = 10;
/** File systems of networks and of containers report nothing; and a system may have no watches left. */
const POLL_MS = 5000;

/** A file as it is in use. */
export interface ConfigInUse {
  readonly config: GatewayConfig;
  readonly warnings: readonly Problem[];
  /** Of the text that it was read from. */
  readonly etag: string;
}

/** What a look at the file has led to. */
export type ReloadOutcome =
  | { readonly state: 'unchanged' }
  /** `needRestart`: fields that changed and that a running gateway cannot take up. */
  | { readonly state: 'changed'; readonly inUse: ConfigInUse; readonly needRestart: readonly string[] }
  /** What is in use stays in use. */
  | { readonly state: 'refused'; readonly error: ErrorData };

/** How a file is followed. */
export interface WatcherOptions {
  /** Takes each change and each refusal, in their order and each once. It must not throw: nobody catches that. */
  readonly onOutcome: (outcome: Exclude<ReloadOutcome, { state: 'unchanged' }>) => void;
  readonly clock?: Clock;
  readonly debounceMs?: number;
  readonly pollMs?: number;
}

/** A file that is followed until it is disposed of. */
export interface ConfigWatcher extends AsyncDisposable {
  readonly inUse: ConfigInUse;
  /** Looks at once, as on SIGHUP. A file that is still refused is told of again. */
  reload(): Promise<ReloadOutcome>;
}

/** Reads the file at `path` and follows it. Errors: those of reading and of `parseGatewayConfig`, since nothing is in use yet. */
export async function watchGatewayConfig(path: string, options: WatcherOptions): Promise<ConfigWatcher> {
  const { onOutcome, clock = systemClock, debounceMs = DEBOUNCE_MS, pollMs = POLL_MS } = options;
  const { text, etag } = await readConfigText(path);
  let inUse: ConfigInUse = { ...parseGatewayConfig(text, path), etag };
  let lastRefusal = '';
  let lastStat = await signatureOf(path);
  let isClosed = false;
  let cancelDebounce = (): void => {};
  let pendingSinceMs: number | undefined;
  // One look after the other: each compares with what the one before left.
  let looks: Promise<unknown> = Promise.resolve();

  async function look(isAsked: boolean): Promise<ReloadOutcome> {
    if (isClosed) return { state: 'unchanged' };
    lastStat = await signatureOf(path);
    const found = await tryRead(path);
    if (isClosed) return { state: 'unchanged' };
    if ('error' in found) {
      const refusal = `${found.error.code} ${found.error.message}`;
      const isKnown = refusal === lastRefusal && !isAsked;
      lastRefusal = refusal;
      return isKnown ? { state: 'unchanged' } : tell({ state: 'refused', error: found.error });
    }
    const wasRefused = lastRefusal !== '';
    lastRefusal = '';
    // Whoever heard of a refusal hears that the file is again what is in use.
    if (found.inUse.etag === inUse.etag && !wasRefused) return { state: 'unchanged' };
    const needRestart = findNeedRestart(inUse.config, found.inUse.config);
    inUse = found.inUse;
    return tell({ state: 'changed', inUse, needRestart });
  }

  function tell(outcome: Exclude<ReloadOutcome, { state: 'unchanged' }>): ReloadOutcome {
    onOutcome(outcome);
    return outcome;
  }

  function lookInTurn(isAsked: boolean): Promise<ReloadOutcome> {
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

/** The directory, since editors and `updateConfigFile` put another file in the place of the old one. */
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

/** What changes with a file that is written or replaced; of the file that a link leads to. */
async function signatureOf(path: string): Promise<string> {
  return stat(path, { bigint: true }).then(
    ({ dev, ino, size, mtimeNs, ctimeNs }) => [dev, ino, size, mtimeNs, ctimeNs].join(' '),
    () => 'missing',
  );
}

async function tryRead(path: string): Promise<{ readonly inUse: ConfigInUse } | { readonly error: ErrorData }> {
  try {
    const { text, etag } = await readConfigText(path);
    const parsed: ParsedConfig = parseGatewayConfig(text, path);
    return { inUse: { ...parsed, etag } };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { error: toErrorData(error satisfies AppError) };
  }
}

/** Fields that are taken once, when a gateway starts. */
function findNeedRestart(before: GatewayConfig, after: GatewayConfig): string[] {
  const fields = [
    ['gateway_id', before.gatewayId === after.gatewayId],
    ['listen', before.listen.host === after.listen.host && before.listen.port === after.listen.port],
    ['data_dir', before.dataDir === after.dataDir],
    ['limits.header_kib', before.limits.maxHeaderBytes === after.limits.maxHeaderBytes],
  ] as const;
  return fields.filter(([, isSame]) => !isSame).map(([name]) => name);
}
