/**
 * The highest revision of each signed artifact on this machine: an older one cannot replace a newer. TRUST/<SHA-256 of
 * id and quant>/<revision> is a file each. The highest name counts. It is written before lower ones are removed, so
 * concurrent processes need no lock. Only revisions that a trusted key signed are written.
 */

import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, findHome, hasErrorCode, makeDirectory, replaceFile, throwFileError } from '../base/index.js';
import { renderDocument, type SignedDocument } from './signed-document.js';

/** A revision that was seen. */
export interface SeenRevision {
  readonly revision: number;
  /** SHA-256 of the document; '' where its file cannot be read. */
  readonly sha256: string;
}

/** The default directory of seen revisions; undefined where there is no home. */
export function defaultTrustDir(): string | undefined {
  const home = findHome();
  return home === undefined ? undefined : join(home, '.troupe', 'trust');
}

/** The highest revision of that id and quant that was seen; undefined where none was. Errors: those of reading files. */
export async function highestSeen(trustDir: string, document: SignedDocument): Promise<SeenRevision | undefined> {
  const place = placeOf(trustDir, document);
  const names = await revisionsIn(place);
  const revision = names.at(-1);
  if (revision === undefined) return undefined;
  const text = await readFile(join(place, String(revision)), 'utf8').catch(() => '');
  return { revision, sha256: /"sha256":"([0-9a-f]{64})"/.exec(text)?.[1] ?? '' };
}

/**
 * Refuses a document with a lower revision than the highest that was seen, and remembers a higher one. `isAllowed`: takes
 * it all the same, and then what is remembered stays. Errors: `signature_rollback`, those of files.
 */
export async function noteRevision(
  trustDir: string,
  document: SignedDocument,
  directory: string,
  isAllowed: boolean,
): Promise<void> {
  const seen = await highestSeen(trustDir, document);
  const { id, quant, revision } = document;
  if (seen !== undefined && seen.revision > revision && !isAllowed) {
    const message = `the signed model ${directory} is refused: it has revision ${revision} of ${id} (${quant}), and this machine has seen revision ${seen.revision}; fetch the newer one, or pass --allow-rollback (allowRollback in the library)`;
    throw new AppError('signature_rollback', message, { directory, revision, seen: seen.revision });
  }
  if (seen !== undefined && seen.revision >= revision) return;
  const place = placeOf(trustDir, document);
  const record = { id, quant, revision, sha256: sha256Of(renderDocument(document)) };
  try {
    // Other users must not see which models this user trusts.
    await makeDirectory(place, 0o700);
    await replaceFile(join(place, String(revision)), `${JSON.stringify(record)}\n`, 0o600);
  } catch (error) {
    // What is allowed to go back need not be remembered.
    if (!isAllowed) throwFileError('write', place)(error);
    return;
  }
  for (const lower of (await revisionsIn(place)).filter((each) => each < revision)) {
    await rm(join(place, String(lower)), { force: true }).catch(() => {});
  }
}

/** Whether `document` is what was seen under its revision. */
export function isSame(seen: SeenRevision, document: SignedDocument): boolean {
  return seen.revision === document.revision && seen.sha256 === sha256Of(renderDocument(document));
}

function placeOf(trustDir: string, { id, quant }: SignedDocument): string {
  // Any text may be an id: as a hash it is a name on every file system.
  return join(trustDir, sha256Of(Buffer.from(JSON.stringify([id, quant]))));
}

/** Ascending. */
async function revisionsIn(place: string): Promise<number[]> {
  const names = await readdir(place).catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT')) return [];
    return throwFileError('read', place)(error);
  });
  const revisions = names.filter((name) => /^[1-9]\d{0,15}$/.test(name)).map(Number);
  return revisions.toSorted((a, b) => a - b);
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
