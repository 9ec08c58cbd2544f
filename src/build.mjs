// Builds everything into dist/, in named steps. A step is skipped when neither its inputs nor its outputs have changed since it
// ran. `--force` runs all steps. Prints one line for each step: its name and its time.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stamps = join(root, 'dist', '.build');
const isForced = process.argv.includes('--force');
const tsc = 'node_modules/typescript/bin/tsc';
const pages = ['chat', 'admin', 'operator', 'account'];

/**
 * A step: the files and folders that it reads, those that it writes, and its commands. `imports` adds the files that its inputs
 * import. `clean` removes the outputs first, so that no output of a deleted source stays. `ending` chooses the outputs in a folder
 * that another step writes into, too.
 */
const protocol = {
  name: 'protocol',
  inputs: ['proto'],
  outputs: ['dist/proto', 'proto/messages.d.ts'],
  commands: [['proto/build.mjs']],
};
const code = {
  name: 'code',
  inputs: ['src', 'test', 'bench', 'tsconfig.json', 'package.json'],
  outputs: ['dist/src', 'dist/test', 'dist/bench', 'dist/types'],
  clean: true,
  commands: [[tsc, '-p', 'tsconfig.json'], ['src/bundle.mjs'], ['src/bundle-types.mjs']],
};
const kernels = {
  name: 'kernels',
  inputs: ['kernels-as', 'asconfig.json'],
  outputs: ['dist/kernels'],
  ending: '.wasm',
  commands: [['kernels-as/build.mjs']],
};
const selfTest = {
  name: 'self-test',
  inputs: ['src/compute', 'src/weights', 'src/bin/build-self-test.ts'],
  outputs: ['dist/kernels/self-test.bin'],
  commands: [['dist/src/bin/build-self-test.js']],
};
const demo = {
  name: 'demo model',
  inputs: [
    'assets/demo',
    'src/compute',
    'src/convert',
    'src/artifact',
    'src/weights',
    'src/model',
    'src/tokenizer',
    'src/bin/build-demo.ts',
  ],
  outputs: ['dist/demo'],
  commands: [['dist/src/bin/build-demo.js']],
};
const pageSteps = pages.map((name) => ({
  name: `page ${name}`,
  inputs: [`src/pages/${name}`, 'src/pages/kit', 'tsconfig.json'],
  imports: true,
  outputs: [`dist/pages/${name}`],
  commands: [[tsc, '-p', `src/pages/${name}/tsconfig.json`], [`src/pages/${name}/build.mjs`]],
}));

const start = performance.now();
await run(protocol);
// The compiler and the pages' tools use one core each for most of their time.
await Promise.all([run(code), inOrder([kernels, ...pageSteps])]);
await Promise.all([run(selfTest), run(demo)]);
console.error(`build ${seconds(start)}`);

async function inOrder(steps) {
  for (const step of steps) await run(step);
}

async function run(step) {
  const began = performance.now();
  const stamp = join(stamps, `${step.name.replaceAll(' ', '-')}.json`);
  const inputs = await digestOf(step);
  if (!isForced && (await readFile(stamp, 'utf8').catch(() => '')) === (await toStamp(inputs, step))) return;
  await rm(stamp, { force: true });
  if (step.clean) for (const path of step.outputs) await rm(join(root, path), { recursive: true, force: true });
  for (const args of step.commands) await command(step.name, args);
  await mkdir(stamps, { recursive: true });
  await writeFile(stamp, await toStamp(inputs, step));
  console.error(`${step.name} ${seconds(began)}`);
}

/** The digest of the inputs, and when an output changed last. */
async function toStamp(inputs, { outputs, ending = '' }) {
  const files = (await Promise.all(outputs.map(filesIn))).flat().filter((path) => path.endsWith(ending));
  const times = await Promise.all(files.map(async (path) => (await stat(path)).mtimeMs));
  return JSON.stringify({ inputs, outputs: files.length, changed: Math.max(0, ...times) });
}

/** The SHA-256 over the inputs of a step, its scripts, and the versions of all packages. */
async function digestOf({ inputs, imports = false, outputs, commands }) {
  const given = [...inputs, ...commands.map(([script]) => script), 'package-lock.json'];
  const paths = new Set((await Promise.all(given.map(filesIn))).flat());
  if (imports) await addImports(paths);
  const written = new Set((await Promise.all(outputs.map(filesIn))).flat());
  const hash = createHash('sha256');
  for (const path of [...paths].filter((each) => !written.has(each)).toSorted((a, b) => (a < b ? -1 : 1)))
    hash.update(`\0${relative(root, path)}\0`).update(await readFile(path));
  return hash.digest('hex');
}

/** Adds the sources that the files of `paths` import by relative names, and so on. */
async function addImports(paths) {
  // The set grows while it is read.
  for (const path of paths) {
    if (!/\.(ts|tsx|mjs)$/.test(path)) continue;
    const text = await readFile(path, 'utf8');
    for (const [, name] of text.matchAll(/(?:from|import) '(\.[^']+)'/g)) {
      const file = resolve(dirname(path), name);
      const sources = [file, file.replace(/\.js$/, '.ts'), file.replace(/\.js$/, '.tsx')];
      for (const source of sources) if (await isFile(source)) paths.add(source);
    }
  }
}

async function isFile(path) {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** The files of a folder and of its folders; of a file, itself; of nothing, none. */
async function filesIn(name) {
  const path = join(root, name);
  if (await isFile(path)) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.tsbuildinfo'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes('node_modules'));
}

/** Runs one script of a step. Its failure ends the build with its exit status. */
async function command(step, args) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
  const status = await new Promise((done, failed) => child.once('error', failed).once('exit', done));
  if (status === 0) return;
  console.error(`build: the step "${step}" failed: node ${args.join(' ')} (exit status ${status})`);
  process.exit(1);
}

function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
