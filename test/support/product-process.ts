// A product in a process of its own, which tells its parent by messages where it listens and what else a suite wants to know.
import { fork, type ChildProcess } from 'node:child_process';

/** A process that listens. */
export interface ProductProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly port: number;
  /** What it wrote so far. */
  readonly output: () => string;
  /** Resolves with its exit status, or the signal that ended it. */
  readonly ended: Promise<number | string | null>;
  /** Sends a word, and resolves with the next message. */
  ask<Told>(word: string): Promise<Told>;
}

/**
 * Arguments of Node for a process that lives for seconds. On Node 20 SQLite is WebAssembly, whose second compilation costs more
 * processor time than all the rest of a start and comes too late for such a process.
 */
export const SHORT_LIFE = ['--liftoff-only'] as const;

/** Options of such a process. */
export interface ProcessOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments of node itself, besides `SHORT_LIFE`. */
  readonly nodeArguments?: readonly string[];
  /** Called for each message. */
  readonly onMessage?: (told: unknown) => void;
}

/** Starts `program` of dist/test with its arguments. Rejects where it ends before it listens, with what it wrote. */
export async function startProductProcess(
  program: string,
  args: readonly string[],
  { env = {}, nodeArguments = [], onMessage = () => {} }: ProcessOptions = {},
): Promise<ProductProcess> {
  const child = fork(program, [...args], {
    execArgv: [...SHORT_LIFE, ...nodeArguments],
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (bytes: Buffer) => (output += bytes.toString('latin1')));
  const ended = new Promise<number | string | null>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? code));
  });
  child.on('message', onMessage);
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (told: { readonly port: number }) => resolve(told.port));
    void ended.then(() => reject(new Error(`${program} ended: ${output}`)));
  });
  return {
    child,
    port,
    output: () => output,
    ended,
    ask: <Told>(word: string) =>
      new Promise<Told>((resolve) => {
        child.once('message', (told) => resolve(told as Told));
        child.send(word);
      }),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
}
