import { appendFile, chmod, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findHome, makeDirectory } from '../../base/index.js';

/** Lines kept between sessions: a few hundred kilobytes at most, read at every start. */
const MAX_HISTORY_LINES = 1000;

/** Typed lines of earlier sessions, on disk, readable by their owner only. */
export interface History {
  /** Newest first, as readline wants them. */
  readonly lines: readonly string[];
  append(line: string): Promise<void>;
  /** `/set nohistory`: nothing more is written in this session. */
  off(): void;
}

/** `~/.troupe/history`; undefined where there is no home. */
export function defaultHistoryPath(): string | undefined {
  const home = findHome();
  return home === undefined ? undefined : join(home, '.troupe', 'history');
}

/**
 * Opens the file or starts an empty one. A history that cannot be read or written, or has no path, is a history of this
 * session only.
 */
export async function openHistory(path: string | undefined): Promise<History> {
  if (path === undefined) return { lines: [], append: async () => {}, off: () => {} };
  const kept = await readFile(path, 'utf8').then(
    (text) =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .slice(-MAX_HISTORY_LINES),
    () => [],
  );
  let writing = await rewrite(path, kept);
  return {
    lines: kept.toReversed(),
    async append(line) {
      if (!writing || line.trim() === '') return;
      writing = await appendFile(path, `${line}\n`, { mode: 0o600 }).then(
        () => true,
        () => false,
      );
    },
    off() {
      writing = false;
    },
  };
}

async function rewrite(path: string, lines: readonly string[]): Promise<boolean> {
  try {
    await makeDirectory(dirname(path), 0o700);
    await writeFile(path, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
    // A file that was there keeps its mode when it is written.
    await chmod(path, 0o600);
    return true;
  } catch {
    return false;
  }
}
