import { appendFile, chmod, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findHome, makeDirectory } from '../../../base/index.js';

/** Messages kept between sessions: a few hundred kilobytes at most, read at every start. */
const MAX_HISTORY_LINES = 1000;
/** A longer message, such as a pasted file, is known until the session ends, but not written: the file is read at every start. */
const MAX_WRITTEN_CHARACTERS = 64 * 1024;

/** Messages of earlier sessions, on disk, readable by their owner only. */
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
 * Opens the file or starts an empty one. A history that cannot be read or written, or has no place, is a history of this
 * session only. Each line of the file is a message; one of several lines, or that could be taken for one, is a JSON string.
 */
export async function openHistory(path: string | undefined): Promise<History> {
  const text = path === undefined ? '' : await readFile(path, 'utf8').catch(() => '');
  const kept = parseHistory(text);
  let isWriting = path !== undefined && (await prepare(path, text, kept));
  return {
    lines: kept.toReversed(),
    async append(line) {
      if (path === undefined || !isWriting || line.trim() === '' || line.length > MAX_WRITTEN_CHARACTERS) return;
      isWriting = await appendFile(path, toFileLine(line), { mode: 0o600 }).then(
        () => true,
        () => false,
      );
    },
    off() {
      isWriting = false;
    },
  };
}

/** `lines` with a message that was typed now: once, in front. */
export function withNewest(lines: readonly string[], line: string): readonly string[] {
  return line.trim() === '' ? lines : [line, ...lines.filter((other) => other !== line)].slice(0, MAX_HISTORY_LINES);
}

/** Oldest first; of those that are there several times, the last. */
function parseHistory(text: string): string[] {
  const messages = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(fromFileLine);
  return [...new Set(messages.toReversed())].slice(0, MAX_HISTORY_LINES).toReversed();
}

function toFileLine(message: string): string {
  const isPlain = !/[\n\r]/.test(message) && fromFileLine(message) === message;
  return `${isPlain ? message : JSON.stringify(message)}\n`;
}

function fromFileLine(line: string): string {
  if (!/^".*"$/.test(line)) return line;
  try {
    return String(JSON.parse(line));
  } catch {
    return line;
  }
}

/** Makes the file ready to be appended to; it is written only where it would change, for another session may be at it. */
async function prepare(path: string, text: string, messages: readonly string[]): Promise<boolean> {
  const wanted = messages.map(toFileLine).join('');
  try {
    await makeDirectory(dirname(path), 0o700);
    if (text === '' || text !== wanted) await writeFile(path, wanted, { mode: 0o600 });
    // A file that was there keeps its mode when it is written.
    await chmod(path, 0o600);
    return true;
  } catch {
    return false;
  }
}
