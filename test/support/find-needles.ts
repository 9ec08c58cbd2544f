// Finds where forbidden texts were kept.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Looks for texts, and tells by their beginnings where they are. */
export interface NeedleSearch {
  /** `WHERE has BEGINNING`, as far as they were found. */
  readonly hits: readonly string[];
  readonly search: (where: string, text: string) => void;
  /**
   * Searches all files below a directory that have changed since it last searched them, and gives the paths of all. Sockets are
   * left out, and so is what vanishes meanwhile.
   */
  readonly searchFiles: (directory: string) => readonly string[];
}

/**
 * A search for these: as they are, in base64, in hexadecimal as dumps have bytes, and escaped as in URLs. Of a key it is for
 * all behind its beginning, which lists show.
 */
export function findNeedles(given: readonly string[]): NeedleSearch {
  const needles = given
    .map((needle) => (/^(?:gw[ka]|hak)_/.test(needle) ? needle.slice(11) : needle))
    .map((needle) => ({ needle, forms: formsOf(needle) }));
  const hits: string[] = [];
  const search = (where: string, text: string): void => {
    for (const { needle, forms } of needles)
      if (forms.some((form) => text.includes(form))) hits.push(`${where} has ${needle.slice(0, 10)}`);
  };
  /** Files that were searched, as they were: a cluster of PostgreSQL has a thousand, of which few change. */
  const searched = new Map<string, string>();
  const searchFile = (path: string): void => {
    const state = statSync(path, { bigint: true, throwIfNoEntry: false });
    const known = `${state?.ino} ${state?.size} ${state?.ctimeNs}`;
    if (searched.get(path) === known) return;
    search(path, readFileSync(path, 'latin1'));
    // Times of files are coarse, and writes through a memory map change none.
    const isOld = state !== undefined && Date.now() - Number(state.ctimeMs) > 1_000;
    if (isOld && !path.endsWith('-shm')) searched.set(path, known);
  };
  return {
    hits,
    search,
    searchFiles(directory) {
      const files = filesOf(directory);
      for (const path of files) searchFile(path);
      return files;
    },
  };
}

function formsOf(needle: string): readonly string[] {
  const bytes = Buffer.from(needle);
  return [
    ...new Set([needle, bytes.toString('base64').slice(0, -4), bytes.toString('hex'), encodeURIComponent(needle)]),
  ];
}

function filesOf(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}
