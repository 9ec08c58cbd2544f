// The command line as a user has it: a process of its own, with pipes or on a terminal.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { environmentOf, type Ended } from './home.js';

export { createTemporaryDirectory, type Ended } from './home.js';

/** The file that `native-engine` runs. */
export const ENTRY = join(process.cwd(), 'dist/src/bin/native-engine.js');
/** A process that says nothing for so long hangs. */
const TIMEOUT_MS = 600_000;

/** The file that another command of the package runs. */
export function entryOf(binary: string): string {
  return join(process.cwd(), `dist/src/bin/${binary}.js`);
}

/** What else a process is started with. */
export interface StartOptions {
  /** What is started instead of `native-engine`. */
  readonly entry?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Arguments of node itself. */
  readonly nodeArguments?: readonly string[];
  /** How long `runCli` waits for it; default ten minutes. */
  readonly timeoutMs?: number;
}

/** Starts `native-engine` with pipes. */
export function startCli(args: readonly string[], home: string, options: StartOptions = {}): ChildProcess {
  const { entry = ENTRY, env = {}, cwd = process.cwd(), nodeArguments = [] } = options;
  return spawn(process.execPath, [...nodeArguments, entry, ...args], {
    env: { ...environmentOf(home), ...env },
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** Runs `native-engine` to its end. */
export async function runCli(
  args: readonly string[],
  home: string,
  stdin: string | Buffer = '',
  options: StartOptions = {},
): Promise<Ended> {
  const child = startCli(args, home, options);
  const [out, err] = [collect(child.stdout), collect(child.stderr)];
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(stdin);
  const code = await ended(child, options.timeoutMs);
  return { code, stdout: out(), stderr: err() };
}

/** The exit status of a child; one that outlives our patience is killed. */
export async function ended(child: ChildProcess, timeoutMs = TIMEOUT_MS): Promise<number | null> {
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  try {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    return child.exitCode;
  } finally {
    clearTimeout(timer);
  }
}

/** A process on a pseudo-terminal. */
export interface Screen {
  /** Waits until `text` appears after what was waited for before. */
  see(text: string): Promise<void>;
  type(text: string): void;
  /** Gives the window another width; the process gets SIGWINCH. */
  resize(columns: number): void;
  /** Takes the terminal away at once: the process gets SIGHUP. */
  kill(): void;
  /** Everything shown so far. */
  readonly text: () => string;
  /** The exit status once the process has ended. */
  readonly end: () => Promise<number | null>;
}

/** Whether this machine can open pseudo-terminals for us: Node has no call for that, Python has. */
export const hasPty = spawnSync('python3', ['-c', 'import pty']).status === 0;

/** Keys come through our standard input, what is shown goes to our standard output, and widths come as lines of file 3. */
const RELAY = `
import fcntl, os, pty, select, struct, sys, termios
columns = int(os.environ.pop('RELAY_COLUMNS', '100'))
begin, go = os.pipe()
pid, fd = pty.fork()
if pid == 0:
    os.read(begin, 1)
    os.execvp(sys.argv[1], sys.argv[1:])
def resize(columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
resize(columns)
os.write(go, b'x')
inputs = [fd, 0, 3]
while True:
    for ready in select.select(inputs, [], [])[0]:
        try:
            data = os.read(ready, 65536)
        except OSError:
            data = b''
        if ready == fd:
            if not data:
                sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) % 256)
            os.write(1, data)
        elif not data:
            inputs.remove(ready)
        elif ready == 0:
            os.write(fd, data)
        else:
            resize(int(data.split()[-1]))
`;

/** How a pseudo-terminal differs from one of xterm that takes all output. */
export interface ScreenOptions {
  /** What is started instead of `native-engine`. */
  readonly entry?: string;
  readonly cwd?: string;
  /** Width of the window from the first moment on; default 100. */
  readonly columns?: number;
  readonly env?: NodeJS.ProcessEnv;
  /** Where standard output goes instead of the terminal. */
  readonly stdoutFile?: string;
}

/** Runs `native-engine` on a pseudo-terminal, through Python's pty module. */
export function openScreen(args: readonly string[], home: string, options: ScreenOptions = {}): Screen {
  const command = [process.execPath, options.entry ?? ENTRY, ...args];
  const redirected = ['sh', '-c', 'out=$1; shift; exec "$@" > "$out"', 'sh', options.stdoutFile ?? '', ...command];
  const child = spawn('python3', ['-c', RELAY, ...(options.stdoutFile === undefined ? command : redirected)], {
    env: {
      ...environmentOf(home),
      ...options.env,
      ...(options.columns !== undefined && { RELAY_COLUMNS: String(options.columns) }),
    },
    cwd: options.cwd,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const text = collect(child.stdout);
  let seen = 0;
  return {
    text,
    type: (keys) => child.stdin.write(keys),
    resize: (columns) => (child.stdio[3] as Writable).write(`${columns}\n`),
    kill: () => child.kill('SIGKILL'),
    async see(wanted) {
      const limit = Date.now() + TIMEOUT_MS;
      for (;;) {
        const at = text().indexOf(wanted, seen);
        if (at >= 0) {
          seen = at + wanted.length;
          return;
        }
        const gone = child.exitCode !== null;
        if (gone || Date.now() > limit)
          throw new Error(`waited for ${JSON.stringify(wanted)}, but saw ${text().slice(seen)}`);
        const waited = new AbortController();
        const { signal } = waited;
        await Promise.race([
          once(child.stdout, 'data', { signal }),
          once(child, 'close', { signal }),
          elapsed(limit - Date.now()),
        ]);
        waited.abort();
      }
    },
    end: () => ended(child),
  };
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  const pieces: Buffer[] = [];
  stream?.on('data', (piece: Buffer) => pieces.push(piece));
  return () => Buffer.concat(pieces).toString('utf8');
}

function elapsed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
