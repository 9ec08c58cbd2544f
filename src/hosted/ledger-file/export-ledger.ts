import { randomBytes } from 'node:crypto';
import { open, rename, rm, truncate, type FileHandle } from 'node:fs/promises';
import { AppError, throwFileError } from '../../base/index.js';
import type { LedgerBooks, LedgerGroup, TimeRange } from '../../billing/index.js';
import { writeGroup } from './exported-group.js';
import { readKnownExport, type KnownExport } from './known-export.js';

/** What to do with an existing file. */
export type IfExists = 'refuse' | 'replace' | 'append';

/** The range of an export, and its file. */
export interface LedgerExport {
  /** Absolute. */
  readonly path: string;
  readonly range: TimeRange;
  readonly ifExists: IfExists;
}

/** The result of an export. */
export interface WrittenExport {
  readonly path: string;
  /** Groups that were written now. */
  readonly groups: number;
  /** Groups in the file before and after. */
  readonly kept: number;
  /** Groups that the file had before and lacks now. */
  readonly replaced: number;
}

/** Groups that are written at once. */
const BATCH = 500;
const MODE = 0o600;

/**
 * Writes groups of the ledger, a line of JSON each. Replaces an existing file whole, or appends the groups behind its
 * last one; if that fails, the file is unchanged. Errors: `ledger_file_exists`, `ledger_file_foreign`,
 * `ledger_file_other`, those of files.
 */
export async function exportLedgerFile(
  ledger: Pick<LedgerBooks, 'export'>,
  { path, range, ifExists }: LedgerExport,
): Promise<WrittenExport> {
  const known = await readKnownExport(path);
  if (known !== undefined && ifExists === 'refuse') throw alreadyThere(path, known);
  if (known !== undefined && ifExists === 'append') {
    const groups = await append(path, known, behind(ledger.export(range), known, path));
    return { path, groups, kept: known.groups, replaced: 0 };
  }
  const groups = await writeWhole(path, ledger.export(range));
  return { path, groups, kept: 0, replaced: known?.groups ?? 0 };
}

/** Writes beside the file first: the old file goes only once the new one is whole. */
async function writeWhole(path: string, groups: AsyncIterable<LedgerGroup>): Promise<number> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', MODE).catch(throwFileError('write', path));
  try {
    const written = await writeAll(file, groups, path);
    await rename(draft, path).catch(throwFileError('write', path));
    return written;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function append(path: string, { sizeBytes }: KnownExport, groups: AsyncIterable<LedgerGroup>): Promise<number> {
  const file = await open(path, 'a', MODE).catch(throwFileError('write', path));
  try {
    return await writeAll(file, groups, path);
  } catch (error) {
    await truncate(path, sizeBytes);
    throw error;
  }
}

async function writeAll(file: FileHandle, groups: AsyncIterable<LedgerGroup>, path: string): Promise<number> {
  let count = 0;
  let lines: string[] = [];
  const write = async (): Promise<void> => {
    await file.writeFile(lines.join('')).catch(throwFileError('write', path));
    lines = [];
  };
  try {
    for await (const group of groups) {
      count++;
      lines.push(writeGroup(group));
      if (lines.length >= BATCH) await write();
    }
    await write();
    await file.sync().catch(throwFileError('write', path));
    return count;
  } finally {
    await file.close();
  }
}

/** The groups that come after the last one of a file. Errors: `ledger_file_other`. */
async function* behind(
  groups: AsyncIterable<LedgerGroup>,
  { last }: KnownExport,
  path: string,
): AsyncGenerator<LedgerGroup> {
  let isBehind = false;
  for await (const group of groups) {
    if (isBehind) yield group;
    else if (group.id === last.id) {
      if (group.hash !== last.hash) throw otherLedger(path, last.id, 'has another hash there');
      isBehind = true;
    }
  }
  if (!isBehind) throw otherLedger(path, last.id, 'is not among the requested groups');
}

function alreadyThere(path: string, { groups, first, last }: KnownExport): AppError {
  const many = groups === 1 ? 'one group' : `${groups} groups`;
  const message = `${path} exists already, with ${many} of the ledger from ${first.created_at} to ${last.created_at}. Nothing was written. Add the later groups with --append, write the whole file again with --replace, or choose another name.`;
  return new AppError('ledger_file_exists', message, { path, groups });
}

function otherLedger(path: string, id: string, why: string): AppError {
  const message = `nothing can be added to ${path}: its last group, ${id}, ${why}. It is of another ledger or another range; choose another name, or write the file again with --replace.`;
  return new AppError('ledger_file_other', message, { path });
}
