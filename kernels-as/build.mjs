// Compiles kernels-as/ into dist/kernels/, one module for each variant and one for sampling; does nothing, silently, when
// they are up to date.

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const sources = join(root, 'kernels-as');
const out = join(root, 'dist', 'kernels');
const stamp = join(out, 'stamp');
/** The entry of each module, by its target in asconfig.json. */
const entries = {
  portable: 'index.ts',
  narrow: 'index.ts',
  relaxed: 'index.ts',
  vnni: 'index.ts',
  sampling: 'sampling.ts',
};
const targets = Object.keys(entries);

/** What the kernels are made from: their sources, this script, the options and the compiler. */
async function digest() {
  const compiler = JSON.parse(await readFile(join(root, 'node_modules', 'assemblyscript', 'package.json'), 'utf8'));
  const hash = createHash('sha256').update(compiler.version);
  const names = (await readdir(sources)).toSorted();
  for (const path of [join(root, 'asconfig.json'), ...names.map((name) => join(sources, name))]) {
    hash.update(`\0${path.slice(root.length)}\0`).update(await readFile(path));
  }
  return hash.digest('hex');
}

/** The text of `path`, or an empty one when there is no such file. */
async function textOf(path) {
  return readFile(path, 'utf8').catch(() => '');
}

/** What must hold for many instances to share one memory: only the memory is imported, nothing runs at the start. */
async function check(target) {
  const bytes = await readFile(join(out, `${target}.wasm`));
  const sections = new Set();
  for (let at = 8; at < bytes.length;) {
    const id = bytes[at++];
    let size = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      size += (byte & 127) * 2 ** shift;
      if (byte < 128) break;
    }
    sections.add(id);
    at += size;
  }
  const START = 8;
  const DATA = 11;
  if (sections.has(START))
    throw new Error(`${target}.wasm has a start function; kernels must not run at instantiation`);
  if (sections.has(DATA)) throw new Error(`${target}.wasm has static data, which every instance would write again`);
}

async function build() {
  const made = await digest();
  const present = await Promise.all(targets.map((target) => textOf(join(out, `${target}.wasm`))));
  if ((await textOf(stamp)) === made && present.every((text) => text !== '')) return;
  await mkdir(out, { recursive: true });
  await rm(stamp, { force: true });
  const { default: asc } = await import('assemblyscript/asc');
  for (const target of targets) {
    const entry = join('kernels-as', entries[target]);
    const args = [entry, '--config', 'asconfig.json', '--target', target, '--baseDir', root];
    const { error, stderr } = await asc.main(args);
    if (error) throw new Error(`the ${target} kernels did not compile: ${error.message}\n${stderr.toString()}`);
    await check(target);
  }
  await writeFile(stamp, made);
}

await build();
