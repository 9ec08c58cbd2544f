/**
 * Runs the recorded corpus against a built checkout, by its command line and its package entry alone. As a program it
 * writes the answers: node dist/test/recorded/record.js OUT [CHECKOUT]
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Library from '../../src/index.js';
import { chatCases } from './chat-cases.js';
import { commandCases, type CommandCase } from './command-cases.js';
import { edgeCases } from './edge-cases.js';
import { exchange, replaceIds, type HttpCase } from './exchange.js';
import { libraryCases } from './library-cases.js';
import { otherCases } from './other-cases.js';
import { refusedCases } from './refused-cases.js';

/** Answers by the names of their cases. */
export type Answers = Readonly<Record<string, unknown>>;

/** Runs a command of a checkout with `env`, in its home. Default: in a process of its own. */
export type RunCommand = (
  command: CommandCase,
  checkout: string,
  env: Readonly<Record<string, string>> & { readonly HOME: string },
) => Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }>;

/** Portable kernels give the same bits on every CPU. */
const SERVE = ['serve', '--http', '--port', '0', '--transport', 'node', '--kernel', 'portable', '--threads', '1'];
const MODELS = 'MODELS';

const overHttp: Readonly<Record<string, readonly HttpCase[]>> = {
  chat: chatCases,
  others: otherCases,
  refused: refusedCases,
  edges: edgeCases,
};

/** The parts of the corpus, each a file of its own. */
export const parts: readonly string[] = [...Object.keys(overHttp), 'library', 'commands'];

/** The answers of a part, in the order of its cases: one after the other, since a prompt that was asked before is cached. */
export async function record(part: string, checkout: string, run: RunCommand = runProcess): Promise<Answers> {
  const directory = mkdtempSync(join(tmpdir(), 'recorded-'));
  try {
    const answers = await answersOf(part, checkout, directory, run);
    return JSON.parse(JSON.stringify(answers).replaceAll(directory, MODELS)) as Answers;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function answersOf(part: string, checkout: string, directory: string, run: RunCommand): Promise<Answers> {
  if (part === 'library') return callLibrary(checkout, directory);
  if (part === 'commands') return runCommands(checkout, directory, run);
  return askServer(checkout, directory, part);
}

async function runCommands(checkout: string, directory: string, run: RunCommand): Promise<Answers> {
  const env = { HOME: directory, TROUPE_CACHE: directory, NO_COLOR: '1', COLUMNS: '80' };
  const answers: Record<string, unknown> = {};
  for (const each of commandCases) answers[each.name] = await run(each, checkout, env);
  return answers;
}

const runProcess: RunCommand = async ({ binary, args, input = '' }, checkout, env) => {
  const { TROUPE_MODELS: _, ...inherited } = process.env;
  const options = { env: { ...inherited, ...env }, cwd: env.HOME, input, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [programOf(checkout, binary), ...args], options);
  return { status, stdout, stderr };
};

/** The file that a command runs. */
function programOf(checkout: string, binary = 'native-engine'): string {
  const { bin } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { bin: Record<string, string> };
  return join(checkout, bin[binary] ?? '');
}

async function askServer(checkout: string, directory: string, part: string): Promise<Answers> {
  const args = [programOf(checkout), ...SERVE, '--models-dir', directory, '--cache-dir', directory];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: directory });
  try {
    const port = await portOf(server);
    const answers: Record<string, unknown> = {};
    for (const each of overHttp[part] ?? []) answers[each.name] = await exchange(port, each);
    return answers;
  } finally {
    if (server.exitCode === null) {
      server.kill('SIGKILL');
      await once(server, 'exit');
    }
  }
}

async function portOf(server: ReturnType<typeof spawn>): Promise<number> {
  let said = '';
  for (const stream of [server.stdout, server.stderr]) stream?.on('data', (piece) => (said += String(piece)));
  for (let left = 300; left > 0; left--) {
    const found = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(said);
    if (found) return Number(found[1]);
    if (server.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the server does not listen: ${said}`);
}

async function callLibrary(checkout: string, directory: string): Promise<Answers> {
  const { createEngine } = (await import(pathToFileURL(join(checkout, 'dist/src/index.js')).href)) as typeof Library;
  const options = { kernel: 'portable', threads: 1, modelsDir: directory, cacheDir: directory } as const;
  await using engine = await createEngine(options);
  await using model = await engine.load('demo');
  const answers: Record<string, unknown> = {};
  for (const { name, call } of libraryCases) {
    const answer = await call(model, engine).catch((error: unknown) => toPlainError(error));
    answers[name] = JSON.parse(replaceIds(JSON.stringify(answer))) as unknown;
  }
  return answers;
}

function toPlainError(error: unknown): unknown {
  const { code, message, details } = error as { code?: unknown; message?: unknown; details?: unknown };
  return { error: { code, message, details } };
}

const [, self, out, checkout = process.cwd()] = process.argv;
if (self !== undefined && import.meta.url === pathToFileURL(self).href && out !== undefined) {
  mkdirSync(out, { recursive: true });
  for (const part of parts) {
    writeFileSync(join(out, `${part}.json`), `${JSON.stringify(await record(part, checkout), undefined, 1)}\n`);
  }
}
