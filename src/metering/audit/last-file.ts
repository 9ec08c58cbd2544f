// The last configuration file that a program worked by, in its data directory. By it the audit log also gets changes made
// while the program did not run.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../base/index.js';
import { compareFiles, type FileChanges, type FileFacts } from './file-changes.js';

const FILE = 'last-config.json';
const MODE = 0o600;
/** A configuration file has 1 MiB at most; as JSON with its defaults it may have a few times that. */
const MAX_BYTES = 16 << 20;

/** Changes since the last file. An unreadable record counts as none: all entries are new then, and the fields are as they are. */
export async function changesSinceLast(dataDir: string, now: FileFacts): Promise<FileChanges> {
  return compareFiles((await readLast(join(dataDir, FILE))) ?? { lists: {}, fields: now.fields }, now);
}

/** Keeps `facts` as those of the last file. Errors: those of the system. */
export async function keepLast(dataDir: string, facts: FileFacts): Promise<void> {
  await replaceFile(join(dataDir, FILE), JSON.stringify(facts), MODE);
}

async function readLast(path: string): Promise<FileFacts | undefined> {
  try {
    const text = await readFile(path, 'utf8');
    const value: unknown = text.length > MAX_BYTES ? undefined : JSON.parse(text);
    return isFileFacts(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFileFacts(value: unknown): value is FileFacts {
  const isPlain = (one: unknown): one is object => typeof one === 'object' && one !== null && !Array.isArray(one);
  if (!isPlain(value)) return false;
  const { lists, fields } = value as Readonly<Record<keyof FileFacts, unknown>>;
  return isPlain(lists) && isPlain(fields) && Object.values(lists).every(isPlain);
}
