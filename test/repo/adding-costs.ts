// How many source files an addition to a registry takes: the numbers of ARCHITECTURE.md's table, counted from the code.
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { listFiles } from './source-tree.js';

/** A registry and how many files one more member creates or touches. */
export interface AddingCost {
  /** The folder, as `src/chat/parsers/`. */
  readonly registry: string;
  readonly files: number;
}

/** Rows of the table that say: one file in a registry, and a line of its list. */
export function readCostTable(document: string): AddingCost[] {
  return [...document.matchAll(/^\| [^|]+ \| `(src\/[\w/-]+\/)` \| the list \| (\d+) \|/gm)].map(
    ([, registry = '', files]) => ({ registry, files: Number(files) }),
  );
}

/**
 * Counts for each registry the files of `src` that know a member: its own, those that import it, and those of the same module
 * that have its name as a text or a key. The least over the members: what a new one takes if it needs nothing special.
 */
export function findAddingCosts(registries: readonly string[]): AddingCost[] {
  const files = listFiles('src', '.ts').map((path) => {
    const text = readFileSync(path, 'utf8');
    return { path, text, imports: importsOf(path, text) };
  });
  return registries.map((registry) => {
    const list = `${registry}index.ts`;
    const module = registry.split('/').slice(0, 2).join('/');
    const imported = files.find(({ path }) => path === list)?.imports ?? new Set();
    const members = [...imported].filter((target) => dirname(target) === registry.slice(0, -1));
    // Members may use each other; one more changes none of them.
    const others = files.filter(({ path }) => !path.startsWith(registry));
    const counts = members.map((member) => {
      const name = basename(member, '.ts');
      const named = new RegExp(`['"\`]${name}['"\`]|^\\s*${toCamel(name)}:`, 'm');
      const knows = ({ path, text, imports }: (typeof files)[number]): boolean =>
        imports.has(member) || (path.startsWith(`${module}/`) && named.test(text));
      // The member and the list.
      return 2 + others.filter(knows).length;
    });
    return { registry, files: Math.min(...counts) };
  });
}

/** Files that a text imports or exports from, as paths in the repository. */
function importsOf(path: string, text: string): Set<string> {
  const targets = [...text.matchAll(/ from '(\.{1,2}\/[^']+)\.js'/g)].map(([, target = '']) => target);
  return new Set(targets.map((target) => join(dirname(path), `${target}.ts`).replaceAll('\\', '/')));
}

function toCamel(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
