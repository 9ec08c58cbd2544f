// The command line of a product within the process of a suite: what a process would print and end with, without the second that
// starting one costs. Suites about signals, pipes, users and terminals start processes (processes.ts).
import { Readable } from 'node:stream';
import { hostedApi } from '../../src/bin/hosted-api/product.js';
import { nativeEngine } from '../../src/bin/native-engine/product.js';
import { privateGateway } from '../../src/bin/private-gateway/product.js';
import { signArtifactProduct } from '../../src/bin/sign-artifact/product.js';
import type { Terminal } from '../../src/cli/index.js';
import { runProduct } from '../../src/cli/run-product.js';
import { environmentOf, type Ended } from './home.js';

const products = {
  'native-engine': nativeEngine,
  'private-gateway': privateGateway,
  'hosted-api': hostedApi,
  'sign-artifact': signArtifactProduct,
};

/** Whether a program of the package has that name. */
export function isProgram(name: string): name is keyof typeof products {
  return Object.hasOwn(products, name);
}

/** What else a command is run with. */
export interface RunOptions {
  /** Default: native-engine. */
  readonly program?: keyof typeof products;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command line to its end, with the environment and the working directory that its process would have. One waits for the
 * other, since this process has one of each.
 */
export async function runHere(
  args: readonly string[],
  home: string,
  stdin: string | Buffer = '',
  options: RunOptions = {},
): Promise<Ended> {
  const run = last.then(() => runNow(args, home, stdin, options));
  last = run.catch(() => {});
  return run;
}

async function runNow(
  args: readonly string[],
  home: string,
  stdin: string | Buffer,
  { program = 'native-engine', env = {}, cwd = process.cwd() }: RunOptions,
): Promise<Ended> {
  const said = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof said) => ({
    isTTY: false,
    write(text: string, done?: () => void) {
      said[name] += text;
      done?.();
      return true;
    },
  });
  const before = { env: { ...process.env }, cwd: process.cwd() };
  setEnvironment({ ...environmentOf(home), ...env });
  process.chdir(cwd);
  try {
    const terminal = {
      stdin: Readable.from(stdin.length === 0 ? [] : [Buffer.from(stdin)]),
      stdout: stream('stdout'),
      stderr: stream('stderr'),
      env: process.env,
      closed: new AbortController().signal,
    };
    const during = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => work(new AbortController().signal);
    const interrupts = { during, duringService: during };
    const code = await runProduct(products[program], args, Object(terminal) as Terminal, interrupts);
    return { code, ...said };
  } finally {
    process.chdir(before.cwd);
    setEnvironment(before.env);
  }
}

/** Changes the variables themselves: `os.homedir` reads them, and not the object `process.env`. */
function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, env);
}
