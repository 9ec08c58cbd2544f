import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFiles } from './source-tree.js';

/** Files of ours, some one a module; the engine's thread, which needs most modules of its own, loads nine, the gateway's twenty-two. */
const MOST_FILES = 22;
const entries = listFiles('dist/src', '.js').filter((path) => /-(main|thread|actor)\.js$|pack-batch\.js$/.test(path));

/** What loading `file` loads of ours: what it imports, and what that imports. */
function filesLoadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(/^(?:import|export) .*?["'](\.[^"']+)["'];/gm)) {
    filesLoadedBy(resolve(dirname(file), specifier), seen);
  }
  return seen;
}

describe('the build', () => {
  it('finds the files where threads begin', () => {
    expect(entries.length).toBeGreaterThanOrEqual(9);
  });

  it.each(entries)('makes few files of what %s loads: it is loaded anew in each thread', (entry) => {
    const loaded = [
      ...filesLoadedBy(join(process.cwd(), entry)),
      ...filesLoadedBy(join(process.cwd(), 'dist/src/actor/thread-main.js')),
    ];
    expect(new Set(loaded).size).toBeLessThanOrEqual(MOST_FILES);
  });

  const joined = listFiles('dist/src', '.thread.js');

  it('makes one file of actors that are started on threads', () => {
    expect(joined.length).toBeGreaterThanOrEqual(5);
  });

  it.each(joined)('%s exports what its module does, and loads of ours what the thread has loaded', async (file) => {
    const module = join(process.cwd(), file.replace('.thread.js', '.js'));
    const [alone, whole] = (await Promise.all([import(join(process.cwd(), file)), import(module)])) as [object, object];
    expect(Object.keys(alone).toSorted()).toEqual(Object.keys(whole).toSorted());
    const imported = Array.from(
      readFileSync(file, 'utf8').matchAll(/^import .* from "(\.[^"]+)";/gm),
      ([, name]) => name,
    );
    const host = ['actor', 'base'].map((name) => join('dist/src', name, 'index.js'));
    expect(host).toEqual(expect.arrayContaining(imported.map((name = '') => join(dirname(file), name))));
  });

  it('has every file that the code looks for by its path in the package', () => {
    const paths = listFiles('src', '.ts').flatMap((path) =>
      Array.from(readFileSync(path, 'utf8').matchAll(/(?:locate\(|file: )'(dist\/[^']+)'/g), ([, found = '']) => found),
    );
    expect(paths.length).toBeGreaterThanOrEqual(10);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });

  it('leaves every value where it was, and one of each', async () => {
    const [entry, inside] = await Promise.all([import('../../src/base/index.js'), import('../../src/base/errors.js')]);
    expect(inside.AppError).toBe(entry.AppError);
  });
});
