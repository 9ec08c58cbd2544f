import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CodeTable } from '../../src/base/index.js';
import { codeTables, tablesByProduct } from './code-tables.js';
import { generatedPart } from './docs.js';
import { errorActions } from './error-actions.js';
import { errorTables } from './errors-page.js';
import { listFiles, readSourceTree } from './source-tree.js';

const read = (path: string): string => readFileSync(join(process.cwd(), path), 'utf8');
const sources = listFiles('src', '.ts');
const tables = sources.filter((path) => basename(path) === 'errors.ts');
/** The files of `src` with what they import, read once: the suites of all products look at the same. */
const files = new Map(readSourceTree(['src']).map((file) => [file.path, file]));
const all: [module: string, code: string][] = Object.entries(codeTables).flatMap(([module, table]) =>
  Object.keys(table).map((code): [string, string] => [module, code]),
);

/** `relay-serving` as `relayServing`. */
const toCamel = (name: string): string => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

describe('error codes', () => {
  it('are declared by several modules, and this suite saw them', () => {
    expect(tables.length).toBeGreaterThanOrEqual(3);
  });

  it.each(tables)('%s is part of the table that maps codes to exit statuses', async (path) => {
    const module = basename(dirname(path));
    const declared: Record<string, unknown> = await import(
      new URL(`../../${path.replace(/\.ts$/, '.js')}`, import.meta.url).href
    );
    expect(codeTables[module]).toEqual(declared[`${toCamel(module)}Codes`]);
  });

  it.each(Object.entries(tablesByProduct))('of %s are those of the modules that it loads', (product, known) => {
    const loaded = (main: string): Set<string> => {
      const seen = new Set([`src/bin/${main}.ts`]);
      for (const path of seen) {
        if (path === `src/bin/${main}/codes.ts`) continue;
        for (const { target } of files.get(path)?.imports ?? []) if (target !== undefined) seen.add(target);
      }
      return new Set([...seen].map((path) => path.split('/')[1] ?? ''));
    };
    const declaring = tables.map((path) => basename(dirname(path)));
    const own = loaded(product);
    expect(Object.keys(known)).toEqual(expect.arrayContaining(declaring.filter((module) => own.has(module))));
    // A module that is to come: no product loads it yet.
    const others = Object.keys(tablesByProduct).flatMap((each) => [...loaded(each)]);
    expect(Object.keys(known).filter((module) => !own.has(module) && others.includes(module))).toEqual([]);
  });

  it('belong to one module each', () => {
    const codes = all.map(([, code]) => code);
    expect(codes.filter((code, i) => codes.indexOf(code) !== i)).toEqual([]);
  });

  it('are all declared: every AppError in src has a code of the table', () => {
    const known = new Set(all.map(([, code]) => code));
    const used = sources.flatMap((path) =>
      [...read(path).matchAll(/new AppError\(\s*'([^']+)'/g)].map(([, code]) => ({ path, code: code ?? '' })),
    );
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter(({ code }) => !known.has(code))).toEqual([]);
  });

  it('are all used: every declared code is thrown or handled somewhere in src', () => {
    // A declaration is a key without quotes; a use is the code in quotes.
    const text = sources.map(read).join('\n');
    const used = (code: string): boolean => text.includes(`'${code}'`);
    expect(all.filter(([, code]) => !used(code)).map(([module, code]) => `${module}: ${code}`)).toEqual([]);
  });

  it('stand in docs/errors.md as `npm run docs` writes them', () => {
    expect(generatedPart(read('docs/errors.md'), 'errors')).toBe(errorTables(codeTables as Record<string, CodeTable>));
  });

  it('each say what to do, but for those that only a developer can mend', () => {
    const mendable = Object.values(codeTables).flatMap((table) =>
      Object.entries(table)
        .filter(([, { who }]) => who !== 'developer')
        .map(([code]) => code),
    );
    expect(Object.keys(errorActions)).toEqual(expect.arrayContaining(mendable));
    const known = new Set(all.map(([, code]) => code));
    expect(Object.keys(errorActions).filter((code) => !known.has(code))).toEqual([]);
  });
});
