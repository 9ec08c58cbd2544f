// Makes one file, in dist, of those files of a module that worker threads load; in their places are files that hand on what
// they exported. Each thread loads its code anew, and a file of 100 KB takes it a sixth of the time that 119 files do: an
// engine that died is back so much sooner. Programs get files of their own. Without this everything works, but starts later.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
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
  'compute/devices/cpu/packing/pack-batch',
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
const ALONE = ['completion/grammars/compile-thread', 'completion/templates/probe-thread', 'convert/tokenizer-thread'];
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
/** Programs: each loads some 30 files of `bin/programs`, with what its command uses of all modules, instead of 250. */
const PROGRAMS = ['hosted-api', 'native-engine', 'private-gateway', 'sign-artifact'];
/** Where the files of programs are. */
const PROGRAMS_DIR = 'bin/programs';
/** Actors that a program may start on its own thread, from the files that it has loaded. */
const INLINE = [
  ...ACTORS,
  ...STARTS.filter((start) => /^(gateway|hosted)\/actors\//.test(start) && !ACTORS.includes(start)),
];
/** How the module `actor` loads the class of an actor by the URL of its module. */
const LOADS_BY_URL = /await import\(\s*(?:\/\*[^*]*\*\/\s*)*module\s*\)/;
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
// Of the files that were just written: what a module's files share stays one file.
const programs = await joinPrograms();
await mkdir(join(dist, PROGRAMS_DIR), { recursive: true });
for (const { fileName, code } of programs) await writeFile(join(dist, PROGRAMS_DIR, fileName), code);
for (const name of PROGRAMS)
  await writeFile(
    join(dist, 'bin', `${name}.js`),
    `#!/usr/bin/env node\nimport './${relative('bin', PROGRAMS_DIR)}/${name}.js';\n`,
  );

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
  const loaded = await rolldown({
    ...inputOf([toFile(start)]),
    treeshake: { moduleSideEffects: false },
    plugins: [{ name: 'places', resolveId, transform: stayFrom(dirname(file)) }],
  });
  const { output } = await loaded.generate({ format: 'esm', codeSplitting: false });
  await loaded.close();
  return { file, code: output[0].code };
}

/**
 * The files of the programs. What several of them use, or what a command loads when it runs, is a file of its own. An actor of the
 * program's own thread comes from these files too: a second copy of our modules would have classes of its own.
 */
async function joinPrograms() {
  const directory = join(dist, PROGRAMS_DIR);
  const inline = INLINE.map((start) => {
    const url = `new URL('${relative(directory, toFile(start)).replaceAll(sep, '/')}', import.meta.url).href`;
    return `[${url}, () => import(${JSON.stringify(toFile(start))})]`;
  });
  const stay = stayFrom(directory);
  let numLoaders = 0;
  const entries = new Set(PROGRAMS.map((name) => toFile(`bin/${name}`)));
  const loaded = await rolldown({
    input: Object.fromEntries(PROGRAMS.map((name) => [name, toFile(`bin/${name}`)])),
    platform: 'node',
    external,
    treeshake: { moduleSideEffects: (id) => entries.has(id) },
    plugins: [
      {
        name: 'places',
        transform(code, id) {
          const placed = stay(code, id);
          if (!LOADS_BY_URL.test(code)) return placed;
          numLoaders++;
          const load = placed.replace(LOADS_BY_URL, '(await (inlineActors.get(module)?.() ?? import(module)))');
          return `const inlineActors = new Map([${inline.join(', ')}]);\n${load}`;
        },
      },
    ],
  });
  const { output } = await loaded.generate({
    format: 'esm',
    comments: { legal: true, annotation: false, jsdoc: false },
    chunkFileNames: '[name]-[hash].js',
    banner: ({ moduleIds }) =>
      moduleIds.some((id) => id.includes(`/node_modules/${TAKEN.name}/`)) ? `/*!\n${license}*/` : '',
  });
  await loaded.close();
  if (numLoaders !== 1) throw new Error(`${numLoaders} files load an actor by its URL instead of one`);
  return output;
}

/** Makes a file look for others from where it was, when it is a part of a file in `directory`. */
function stayFrom(directory) {
  return (code, id) =>
    code.replaceAll(
      'import.meta.url',
      `new URL('${relative(directory, id).replaceAll(sep, '/')}', import.meta.url).href`,
    );
}

/** Whether the specifier is one of a package that is not taken in. */
function external(specifier) {
  return /^[^./]/.test(specifier) && specifier.split('/')[0] !== TAKEN.name;
}

function inputOf(entries) {
  return {
    input: Object.fromEntries(entries.map((file) => [relative(dist, file).replace(/\.js$/, ''), file])),
    platform: 'node',
    external,
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
