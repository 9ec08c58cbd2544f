// Writes the sources that the compiler reads: those of kernels-as, unrolled.

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unroll } from './unroll.mjs';

/** Imports of templates: `./tile-1-2-rows` is tile-rows.ts for one and two rows. */
const rowsImport = /from '(\.[^']*?)((?:-\d)+)-rows'/g;

/** Writes every source of the folder `from`, unrolled, to the folder `to`, which is emptied first. */
export async function makeSources(from, to) {
  const found = await readdir(from, { recursive: true });
  const paths = found.filter((path) => path.endsWith('.ts')).toSorted();
  const texts = new Map();
  for (const path of paths) texts.set(path, await readFile(join(from, path), 'utf8'));
  await rm(to, { recursive: true, force: true });
  for (const [path, text] of unrollSources(texts)) {
    await mkdir(dirname(join(to, path)), { recursive: true });
    await writeFile(join(to, path), text);
  }
}

/**
 * The sources by their paths, unrolled: each file that is no template, and each template for the numbers of rows that
 * imports ask for, unless a file of that name is there. Throws where an import asks for a template that is not there,
 * or where a template is not imported.
 */
export function unrollSources(texts) {
  const made = new Map();
  const used = new Set();
  for (const [path, text] of texts) {
    if (!isTemplate(text)) made.set(path, unroll(text, path));
    for (const [, start, numbers] of text.matchAll(rowsImport)) {
      const target = `${join(dirname(path), start)}${numbers}-rows.ts`;
      if (texts.has(target)) continue;
      const template = `${join(dirname(path), start)}-rows.ts`;
      const source = texts.get(template);
      if (source === undefined) throw new Error(`kernels-as/${path} imports ${target} without a ${template}`);
      used.add(template);
      made.set(target, unroll(source, template, numbers.slice(1).split('-').map(Number)));
    }
  }
  const unused = [...texts].find(([path, text]) => isTemplate(text) && !used.has(path));
  if (unused !== undefined) throw new Error(`kernels-as/${unused[0]} is a template of rows that no file imports`);
  return made;
}

function isTemplate(text) {
  return text.includes(' of ROWS) {');
}
