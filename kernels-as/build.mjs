// Unrolls kernels-as/ into dist/kernels-as/ and compiles that into dist/kernels/: one module for each variant, one for
// sampling, one for repacking and one for tries of vocabularies. Does nothing, silently, when they are up to date.

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeSources } from './make/make-sources.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const sources = join(root, 'kernels-as');
const unrolled = join('dist', 'kernels-as');
const out = join(root, 'dist', 'kernels');
const stamp = join(out, 'stamp');
/** The entry of each module, by its target in asconfig.json. */
const entries = {
  portable: 'index.ts',
  narrow: 'index.ts',
  relaxed: 'index.ts',
  vnni: 'index.ts',
  sampling: 'sampling/index.ts',
  repack: 'repack/index.ts',
  trie: 'trie/index.ts',
};
const targets = Object.keys(entries);

/** What the kernels are made from: their sources, the scripts here, the options and the compiler. */
async function digest() {
  const compiler = JSON.parse(await readFile(join(root, 'node_modules', 'assemblyscript', 'package.json'), 'utf8'));
  const hash = createHash('sha256').update(compiler.version);
  const found = await readdir(sources, { recursive: true, withFileTypes: true });
  const names = found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  for (const path of [join(root, 'asconfig.json'), ...names]) {
    hash.update(`\0${path.slice(root.length)}\0`).update(await readFile(path));
  }
  return hash.digest('hex');
}

/** The text of `path`, or an empty one when there is no such file. */
async function textOf(path) {
  return readFile(path, 'utf8').catch(() => '');
}

/** The sections of a module by their id, and the reader of LEB128 numbers that they are made of. */
function sectionsOf(bytes) {
  const sections = new Map();
  for (let at = 8; at < bytes.length;) {
    const id = bytes[at++];
    const [size, start] = readNumber(bytes, at);
    sections.set(id, bytes.subarray(start, start + size));
    at = start + size;
  }
  return sections;
}

/** An unsigned LEB128 number, and where it ends. */
function readNumber(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return [value, at];
  }
}

/**
 * Whether a type section has a function that takes or gives vectors (WebAssembly core specification, binary format,
 * 5.3).
 */
function hasVectorSignature(types) {
  const FUNCTION = 0x60;
  const VECTOR = 0x7b;
  let [left, at] = readNumber(types, 0);
  for (; left > 0; left--) {
    if (types[at++] !== FUNCTION) throw new Error('the type section has something other than a function');
    for (const _ of ['parameters', 'results']) {
      const [count, start] = readNumber(types, at);
      if (types.subarray(start, start + count).includes(VECTOR)) return true;
      at = start + count;
    }
  }
  return false;
}

/**
 * What must hold for many instances to share one memory: only the memory is imported, nothing runs at the start. And no
 * function that is not inlined hands vectors on: V8's revectorizer ends the process where it packs one (Node 26).
 */
async function check(target) {
  const sections = sectionsOf(await readFile(join(out, `${target}.wasm`)));
  const TYPE = 1;
  const START = 8;
  const DATA = 11;
  if (sections.has(START))
    throw new Error(`${target}.wasm has a start function; kernels must not run at instantiation`);
  if (sections.has(DATA)) throw new Error(`${target}.wasm has static data, which every instance would write again`);
  if (hasVectorSignature(sections.get(TYPE)))
    throw new Error(`${target}.wasm has a function with a vector as parameter or result; hand on numbers or addresses`);
}

async function build() {
  const made = await digest();
  const present = await Promise.all(targets.map((target) => textOf(join(out, `${target}.wasm`))));
  if ((await textOf(stamp)) === made && present.every((text) => text !== '')) return;
  await mkdir(out, { recursive: true });
  await rm(stamp, { force: true });
  await makeSources(sources, join(root, unrolled));
  const { default: asc } = await import('assemblyscript/asc');
  for (const target of targets) {
    const entry = join(unrolled, entries[target]);
    const args = [entry, '--config', 'asconfig.json', '--target', target, '--baseDir', root];
    const { error, stderr } = await asc.main(args);
    if (error) throw new Error(`the ${target} kernels did not compile: ${error.message}\n${stderr.toString()}`);
    await check(target);
  }
  await writeFile(stamp, made);
}

await build();
