// A command line of a product in this process: what it prints, and how it ends.
import { nativeEngine } from '../../src/bin/native-engine/product.js';
import type { Product, Terminal } from '../../src/cli/index.js';
import { runProduct } from '../../src/cli/run-product.js';
import { Readable } from 'node:stream';

/** How a command ended. */
export interface Printed {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a command is run with. */
export interface RunOptions {
  /** Default: native-engine. */
  readonly product?: Product;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Of a window; absent: the output is no terminal. */
  readonly columns?: number;
  /** Aborted where Ctrl-C is pressed. */
  readonly signal?: AbortSignal;
}

/** Runs a command line to its end. */
export async function runInProcess(argv: readonly string[], options: RunOptions = {}): Promise<Printed> {
  const said = { stdout: '', stderr: '' };
  const { product = nativeEngine, columns, env = {}, stdin = '', signal = new AbortController().signal } = options;
  const stream = (name: 'stdout' | 'stderr') => ({
    isTTY: columns !== undefined,
    columns,
    write: (text: string) => (said[name] += text),
  });
  const terminal = {
    stdin: Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    env,
    closed: new AbortController().signal,
  };
  const during = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => work(signal);
  const interrupts = { during, duringService: during };
  const status = await runProduct(product, argv, Object(terminal) as Terminal, interrupts);
  return { status, ...said };
}
