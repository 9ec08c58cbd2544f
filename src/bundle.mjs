// Makes one file, in dist, of those files of a module that worker threads load; in their places are files that hand on what
// they exported. Each thread loads its code anew, and a file of 100 KB takes it a sixth of the time that 119 files do: an
// engine that died is back so much sooner. Without this everything works, but starts later.

import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** Where threads begin that need a part of a module, or that work as soon as they are loaded: each stays a file of its own. */
const STARTS = [
  'actor/process-main',
  'actor/thread-main',
  'artifact/chunk-thread',
  'artifact/sums-thread',
  'completion/grammars/compile-thread',
  'completion/template-actor',
  'completion/templates/probe-thread',
  'completion/tokenizer-actor',
  'convert/packing/pack-batch',
  'convert/tokenizer-thread',
  'endpoint/body-thread',
  'engine/masks/mask-thread',
  'gateway/actors/admin-actor',
  'gateway/actors/audit-actor',
  'gateway/actors/control-actor',
  'gateway/actors/discovery-actor',
  'gateway/actors/ledger-actor',
  'gateway/actors/probe-actor',
  'gateway/actors/relay-actor',
  'hosted/actors/control-actor',
  'hosted/actors/listener-actor',
  'hosted/actors/operator-actor',
  'hosted/actors/sync-actor',
  'hub/download/hash-thread',
];
/** Where those begin that need all of their module. */
const WHOLE = ['compute/devices/cpu/threads/compute-thread', 'engine/engine-actor', 'engine/masks/mask-queue'];
/**
 * Threads that start while a client waits: each becomes one file with what it uses of all modules and nothing else, an eighth of
 * what it would load.
 */
const ALONE = ['convert/tokenizer-thread'];
/**
 * Actors that the placement `thread` starts from one file beside their module, `<module>.thread.js`, with what they use of all
 * modules but those of HOST. The module stays for other placements.
 */
const ACTORS = [
  'completion/template-actor',
  'completion/tokenizer-actor',
  'compute/devices/cpu/threads/compute-thread',
  'engine/engine-actor',
  'gateway/actors/relay-actor',
];
/** The modules that every thread has loaded before its actor; an actor's class extends one of theirs. */
const HOST = ['actor', 'base'];
/** The one package that is taken in, and the module that takes it: 683 files. */
const TAKEN = { name: 'typebox', into: 'schema' };

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist', 'src');
const toFile = (start) => join(dist, `${start}.js`);
const starts = STARTS.map(toFile);
const license = await readFile(join(root, 'node_modules', TAKEN.name, 'license'), 'utf8');

const alone = await Promise.all([
  ...ALONE.map((start) => joinAlone(start, toFile(start))),
  ...ACTORS.map((start) => joinAlone(start, toFile(`${start}.thread`), HOST)),
]);
const files = await filesBehind([...starts, ...WHOLE.map(toFile)]);
const modules = new Set(files.map(moduleOf));
const bundle = await rolldown({
  ...inputOf(files),
  preserveEntrySignatures: 'allow-extension',
  plugins: [{ name: 'places', transform: stayInPlace }],
});
await bundle.write({
  dir: dist,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]/joined.js',
  minifyInternalExports: false,
  banner: ({ fileName }) => (dirname(fileName) === TAKEN.into ? `/*!\n${license}*/` : ''),
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [...modules].map((name) => ({ name, test: (id) => !starts.includes(id) && moduleOf(id) === name })),
  },
});
await bundle.close();
for (const { file, code } of alone) await writeFile(file, code);

/** What `entries` load of ours, themselves included. */
async function filesBehind(entries) {
  const loaded = await rolldown(inputOf(entries));
  const { output } = await loaded.generate({ format: 'esm' });
  await loaded.close();
  const ids = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
  return [...new Set([...entries, ...ids])].filter((id) => id.startsWith(dist));
}

/**
 * One file of all that a start uses, but for the modules `kept`. Our modules do nothing when they are loaded, so that those it
 * does not use can go.
 */
async function joinAlone(start, file, kept = []) {
  const resolveId = (specifier, importer) => {
    if (importer === undefined || !specifier.startsWith('.')) return undefined;
    const path = relative(dist, join(dirname(importer), specifier));
    if (!kept.some((name) => path === join(name, 'index.js'))) return undefined;
    return { id: relative(dirname(file), join(dist, path)).replaceAll(sep, '/'), external: true };
  };
  const stay = (code, id) =>
    code.replaceAll(
      'import.meta.url',
      `new URL('${relative(dirname(file), id).replaceAll(sep, '/')}', import.meta.url).href`,
    );
  const loaded = await rolldown({
    ...inputOf([toFile(start)]),
    treeshake: { moduleSideEffects: false },
    plugins: [{ name: 'places', resolveId, transform: stay }],
  });
  const { output } = await loaded.generate({ format: 'esm', codeSplitting: false });
  await loaded.close();
  return { file, code: output[0].code };
}

function inputOf(entries) {
  return {
    input: Object.fromEntries(entries.map((file) => [relative(dist, file).replace(/\.js$/, ''), file])),
    platform: 'node',
    external: (id) => /^[^./]/.test(id) && id.split('/')[0] !== TAKEN.name,
  };
}

/** The module of a file; packages, and what the bundler adds, belong to the module that takes them. */
function moduleOf(id) {
  return id.startsWith(dist) ? relative(dist, id).split(sep)[0] : TAKEN.into;
}

/** A file goes on to look for others from where it was. */
function stayInPlace(code, id) {
  const place = relative(join(dist, moduleOf(id)), id).replaceAll(sep, '/');
  // Of the same folder: its own file's place would do, and a bundler may leave no place to reckon from.
  if (!place.includes('/')) return code;
  return code.replaceAll('import.meta.url', `new URL('./${place}', import.meta.url).href`);
}
