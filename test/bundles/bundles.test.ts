import { execFile } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = process.cwd();
const isInstalled = existsSync(join(root, 'test/bundles/node_modules'));
const run = promisify(execFile);

const BUNDLERS = ['esbuild, ESM', 'esbuild, CommonJS', 'rolldown', 'Vite', 'webpack'];
const APPLICATION = `
import { createEngine, AppError } from 'troupe';
import { createThreadPool } from ${JSON.stringify(join(root, 'dist/src/base/thread-pool.js'))};

async function main() {
  const engine = await createEngine({ threads: 2 });
  const model = await engine.load('demo');
  const messages = [{ role: 'user', content: 'What is 12 + 30?' }];
  const answer = await model.chat({ messages, temperature: 0 });
  const refused = await model.chat({ messages: [] }).catch((error) => error);
  await engine[Symbol.asyncDispose]();
  const pool = await createThreadPool({ file: 'dist/src/artifact/chunk-thread.js', minThreads: 0, maxThreads: 1, heapMb: 64 });
  const state = new Int32Array(new SharedArrayBuffer(8));
  const job = { fd: 0, sizeBytes: 0, chunkBytes: 1, chunkSha256: [], segments: [], state };
  const pooled = await pool.run(job, { name: 'run' });
  await pool.destroy();
  const content = answer.choices[0].message.content;
  console.log(JSON.stringify({ content, isOurs: refused instanceof AppError, code: refused.code, pooled }));
}
main().catch((error) => { console.log(JSON.stringify({ code: error.code, message: error.message })); });
`;

/** The application in one file, built where troupe is installed: once by each bundler. */
const bundled = new Map<string, Promise<{ folder: string; file: string }>>();
function bundle(bundler: string): Promise<{ folder: string; file: string }> {
  const built = bundled.get(bundler) ?? build(bundler);
  bundled.set(bundler, built);
  return built;
}

async function build(bundler: string): Promise<{ folder: string; file: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'bundles-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/troupe'));
  writeFileSync(join(folder, 'a.mjs'), APPLICATION);
  await run(execPath, [join(root, 'test/bundles/build.mjs'), bundler, folder]);
  const made = readdirSync(join(folder, 'out')).filter((name) => name.endsWith('js'));
  expect(made).toHaveLength(1);
  return { folder, file: join(folder, 'out', made[0] ?? '') };
}

async function runFile(file: string): Promise<unknown> {
  const { stdout } = await run(execPath, [file], { cwd: tmpdir() });
  return JSON.parse(stdout);
}

let copied: string | undefined;
/** A folder that troupe and what it needs were copied into, once for all bundlers. */
function copyTroupe(): string {
  if (copied !== undefined) return copied;
  const folder = mkdtempSync(join(tmpdir(), 'copied-'));
  for (const part of ['package.json', 'dist/src', 'dist/kernels', 'dist/demo']) {
    cpSync(join(root, part), join(folder, 'node_modules/troupe', part), { recursive: true });
  }
  for (const name of ['comlink', 'piscina', '@huggingface/jinja']) {
    cpSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true });
  }
  copied = folder;
  return folder;
}

/** `file`, in a folder of its own far from where it was built. */
function move(file: string): string {
  const moved = join(mkdtempSync(join(tmpdir(), 'moved-')), `server${extname(file)}`);
  copyFileSync(file, moved);
  return moved;
}

const WORKS = { content: '42', isOurs: true, code: expect.any(String), pooled: null };

describe.skipIf(!isInstalled)(
  'an application bundled into one file (skipped unless `npm ci` ran in test/bundles)',
  () => {
    it.each(BUNDLERS)('%s: runs beside an installed troupe, and beside one that was copied', async (bundler) => {
      const { file } = await bundle(bundler);
      expect(await runFile(file)).toEqual(WORKS);

      const beside = join(copyTroupe(), `${bundler.replaceAll(/\W/g, '-')}${extname(file)}`);
      copyFileSync(file, beside);
      expect(await runFile(beside)).toEqual(WORKS);
    });

    it.each(BUNDLERS.filter((name) => name !== 'webpack'))(
      '%s: says what to install where troupe is not',
      async (bundler) => {
        const { file } = await bundle(bundler);
        expect(await runFile(move(file))).toEqual({
          code: 'package_not_found',
          message: expect.stringContaining('copy node_modules/troupe and its dependencies'),
        });
      },
    );
  },
);
