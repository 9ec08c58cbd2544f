// Where texts that nobody may keep were kept.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Looks for texts, and tells by their beginnings where they are. */
export interface NeedleSearch {
  /** `WHERE has BEGINNING`, as far as they were found. */
  readonly hits: readonly string[];
  readonly search: (where: string, text: string) => void;
  /** Searches all files below a directory, and gives their paths. */
  readonly searchFiles: (directory: string) => readonly string[];
}

/** A search for these. Of a key it is for all behind its beginning, which lists show. */
export function findNeedles(given: readonly string[]): NeedleSearch {
  const needles = given.map((needle) => (/^gw[ka]_/.test(needle) ? needle.slice(11) : needle));
  const hits: string[] = [];
  const search = (where: string, text: string): void => {
    for (const needle of needles) if (text.includes(needle)) hits.push(`${where} has ${needle.slice(0, 10)}`);
  };
  return {
    hits,
    search,
    searchFiles(directory) {
      const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
        .map((name) => join(directory, name))
        .filter((path) => statSync(path).isFile());
      for (const path of files) search(path, readFileSync(path, 'latin1'));
      return files;
    },
  };
}
