// Builds a.mjs of a folder, with everything in it, by one bundler: `node test/bundles/build.mjs <bundler> <folder>`.
// The bundle is out/a.mjs or out/a.cjs of the folder. esbuild's ES module is minified: names of classes and functions are gone.
// The others are not: a minifier takes most of their time, and treats every bundle alike.
import { join } from 'node:path';
import { argv } from 'node:process';

const [, , bundler, folder] = argv;
const input = join(folder, 'a.mjs');
const outDir = join(folder, 'out');

const builders = {
  async 'esbuild, ESM'() {
    const { build } = await import('esbuild');
    await build({ ...esbuildOptions('mjs'), format: 'esm', minify: true });
  },
  async 'esbuild, CommonJS'() {
    const { build } = await import('esbuild');
    await build({ ...esbuildOptions('cjs'), format: 'cjs' });
  },
  async rolldown() {
    const { build } = await import('rolldown');
    await build({
      input,
      platform: 'node',
      output: { file: join(outDir, 'a.mjs'), format: 'esm', codeSplitting: false },
      logLevel: 'warn',
    });
  },
  async Vite() {
    const { build } = await import('vite');
    await build({
      root: folder,
      configFile: false,
      logLevel: 'warn',
      ssr: { noExternal: true },
      build: { ssr: 'a.mjs', outDir, rolldownOptions: { output: { entryFileNames: 'a.mjs' } } },
    });
  },
  async webpack() {
    const { default: webpack } = await import('webpack');
    const output = { path: outDir, filename: 'a.cjs' };
    const options = { mode: 'production', optimization: { minimize: false }, target: 'node', entry: input, output };
    await new Promise((resolve, reject) => {
      webpack(options, (error, stats) => {
        if (error) reject(error);
        else if (stats.hasErrors() || stats.hasWarnings()) reject(new Error(stats.toString('errors-warnings')));
        else resolve();
      });
    });
  },
};

function esbuildOptions(ending) {
  return {
    entryPoints: [input],
    bundle: true,
    platform: 'node',
    outfile: join(outDir, `a.${ending}`),
    logOverride: { 'empty-import-meta': 'silent' },
    logLevel: 'warning',
  };
}

await builders[bundler]();
