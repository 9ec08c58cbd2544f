// A program's folder into which the packed package was installed by npm, without a network: its dependencies come from ours.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, relative } from 'node:path';

const root = process.cwd();
/** What a command may take: the longest is a bench of the demo. */
const TIMEOUT_MS = 120_000;

/** What npx does with a command of the folder, without the second that npm takes to start; whatever else it is asked goes to npm's. */
const NPX = `#!/bin/sh
if [ -x "node_modules/.bin/$1" ]; then
  name=$1
  shift
  exec "node_modules/.bin/$name" "$@"
fi
PATH=\${PATH#*:} exec npx "$@"
`;

/** How a command ended and what it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** The folder, with a home of its own. */
export interface InstalledApp extends AsyncDisposable {
  readonly directory: string;
  /** Runs a command in the folder, as a shell does; `stdin` is given to it whole. Its `npx` is a short one. */
  run(command: string, stdin?: string): Promise<Ended>;
  /**
   * Starts a server and settles with what it printed until it listens. It ends with the folder, or when a server of another command
   * starts; the same command finds it running, as it does for a reader who goes from one page to the next.
   */
  serve(command: string): Promise<string>;
}

/** Packs what is built, and installs it. */
export function createInstalledApp(): InstalledApp {
  const directory = mkdtempSync(join(tmpdir(), 'troupe-installed-'));
  const home = join(directory, '.home');
  mkdirSync(home);
  // An HTTP status that is an error ends curl with an error.
  const programs = join(home, 'bin');
  mkdirSync(programs);
  writeFileSync(join(programs, 'npx'), NPX, { mode: 0o755 });
  writeFileSync(join(home, '.curlrc'), 'fail\nsilent\nshow-error\n');
  const environment = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'))),
    HOME: home,
    PATH: [programs, dirname(process.execPath), process.env['PATH']].join(delimiter),
    npm_config_offline: 'true',
    npm_config_cache: join(home, '.npm'),
    npm_config_update_notifier: 'false',
  };
  let server: { readonly command: string; readonly child: ChildProcess; readonly output: () => string } | undefined;
  const open = (command: string): ChildProcess =>
    spawn('sh', ['-c', command], { cwd: directory, env: environment, stdio: 'pipe', detached: true });

  const run = async (command: string, stdin = ''): Promise<Ended> => {
    const child = open(command);
    const output = collect(child);
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(stdin);
    const timer = setTimeout(() => endGroup(child, 'SIGKILL'), TIMEOUT_MS);
    const [code] = (await once(child, 'close')) as [number | null];
    clearTimeout(timer);
    return { code, output: output() };
  };

  const endServer = async (): Promise<void> => {
    if (server === undefined || !isRunning(server.child)) return;
    const closed = once(server.child, 'close');
    endGroup(server.child, 'SIGTERM');
    await closed;
  };

  install(directory, environment);
  return {
    directory,
    run,
    async serve(command) {
      if (server?.command === command && isRunning(server.child)) return server.output();
      await endServer();
      const child = open(command);
      const output = collect(child);
      server = { command, child, output };
      for (;;) {
        await Promise.race([once(child.stdout ?? child, 'data'), once(child, 'close')]);
        if (output().includes('listening on')) return output();
        if (child.exitCode !== null) throw new Error(`${command} ended: ${output()}`);
      }
    },
    async [Symbol.asyncDispose]() {
      await endServer();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;

/** What is read of a package's `package.json`. */
interface PackageFile {
  readonly name: string;
  readonly bin?: string | Readonly<Record<string, string>>;
}

/**
 * `npm pack`, and `npm install` of the archive. The packages that it needs are there before, as an earlier installation left them:
 * npm keeps those of a version that the archive accepts, and would have to fetch another, for which there is no network.
 */
function install(directory: string, environment: NodeJS.ProcessEnv): void {
  const npm = (cwd: string, ...args: string[]): void => {
    const { status, stdout, stderr } = spawnSync('npm', args, { cwd, env: environment, encoding: 'utf8' });
    if (status !== 0) throw new Error(`npm ${args.join(' ')} failed: ${stdout}${stderr}`);
  };
  npm(root, 'pack', '--ignore-scripts', '--pack-destination', directory);
  copyPackages(directory);
  const dependencies = { troupe: 'file:troupe-0.1.0.tgz' };
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
  npm(directory, 'install', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund');
  // What the documents' programs have beside.
  const modules = join(directory, 'node_modules');
  for (const scope of ['@types', '@anthropic-ai']) mkdirSync(join(modules, scope), { recursive: true });
  for (const name of ['openai', 'zod', 'ollama', 'whatwg-fetch', '@anthropic-ai/sdk', '@types/node', 'undici-types']) {
    // Some are there with what the package needs.
    if (!existsSync(join(modules, name))) symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  // What the documents' commands name.
  cpSync(join(root, 'assets/demo'), join(directory, 'checkpoint'), { recursive: true });
  cpSync(join(root, 'test/vectors/gguf/llama-q4_0.gguf'), join(directory, 'model.Q4_1.gguf'));
  for (const name of ['small', 'large']) cpSync(join(root, 'dist/demo'), join(directory, name), { recursive: true });
}

/** Copies what the package needs from our packages, with the commands of each: npm installs a package without them anew. */
function copyPackages(directory: string): void {
  const lock: unknown = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const paths = Object.entries((lock as { packages: Record<string, Record<string, unknown>> }).packages)
    .filter(([path, { dev, peer, optional }]) => path !== '' && [dev, peer, optional].every((one) => one !== true))
    .map(([path]) => path);
  for (const path of paths) {
    const [from, to] = [join(root, path), join(directory, path)];
    cpSync(from, to, { recursive: true, filter: (name) => !relative(from, name).includes('node_modules') });
    const { name, bin = {} } = JSON.parse(readFileSync(join(to, 'package.json'), 'utf8')) as PackageFile;
    const commands = join(to.slice(0, to.lastIndexOf('node_modules')), 'node_modules', '.bin');
    mkdirSync(commands, { recursive: true });
    for (const [command, file] of Object.entries(typeof bin === 'string' ? { [basename(name)]: bin } : bin)) {
      symlinkSync(relative(commands, join(to, file)), join(commands, command));
    }
  }
}

function collect(child: ChildProcess): () => string {
  let output = '';
  const add = (chunk: Buffer): void => void (output += chunk.toString());
  child.stdout?.on('data', add);
  child.stderr?.on('data', add);
  return () => output;
}

/** A shell and what it started. */
function endGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid !== undefined) process.kill(-child.pid, signal);
}

/** `port` if it has no listener, or a free one. */
export async function freePort(port: number): Promise<number> {
  const server = createServer();
  const listening = once(server, 'listening');
  server.listen(port, '127.0.0.1');
  try {
    await listening;
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  } catch {
    return await freePort(0);
  } finally {
    server.close();
  }
}
