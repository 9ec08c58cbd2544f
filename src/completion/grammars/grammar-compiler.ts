import { createHash } from 'node:crypto';
import {
  AppError,
  createThreadPool,
  fromErrorData,
  isAppError,
  stringifyInOrder,
  waitFor,
  type ErrorData,
  type ThreadPool,
} from '../../base/index.js';
import type { CompileTask, ReadyGrammar } from './compile-thread.js';
import type { GrammarRequest } from './grammar-request.js';

/** One at a time takes one core from the compute threads. */
const MAX_THREADS = 1;
/** A grammar at the limit of states takes some 100 MB during its compilation. */
const HEAP_MB = 512;
/** A thread takes 50 ms to start, and requests with formats come in rows. */
const IDLE_MS = 60_000;
/**
 * Usual schemas take some milliseconds; the limits of states and steps end all others within a second of processor time. At a
 * load of 16 on two cores a usual one took more than 5 s.
 */
const DEADLINE_MS = 30_000;
/** Requests that may wait for grammars of others. */
const MAX_QUEUE = 64;
/** Cached grammars: as many as an application has tools. */
const MAX_KNOWN = 256;
/** Limit of their bytes together. */
const MAX_KNOWN_BYTES = 1 << 26;

/** A grammar with its name in the engine: its hash. */
export interface NamedGrammar extends ReadyGrammar {
  readonly id: string;
}

/** Compiles the grammars of requests, each once. */
export interface GrammarCompiler extends AsyncDisposable {
  /** Errors: those of `buildGrammar` and `compileGrammar`; `overloaded`; `grammar_too_large` past the time limit. */
  compile(request: GrammarRequest, signal: AbortSignal): Promise<NamedGrammar>;
}

type Result = ReadyGrammar | { readonly error: ErrorData };

/** A compiler with a thread of its own, which starts with the first grammar. */
export function createGrammarCompiler(): GrammarCompiler {
  /** The least recently used first. */
  const known = new Map<string, Promise<NamedGrammar>>();
  const sizes = new Map<string, number>();
  let pool: Promise<ThreadPool<CompileTask, Result>> | undefined;

  const forget = (id: string): void => {
    known.delete(id);
    sizes.delete(id);
  };

  const run = async (task: CompileTask): Promise<ReadyGrammar> => {
    const threads = await (pool ??= openPool());
    const deadline = AbortSignal.timeout(DEADLINE_MS);
    const result = await threads.run(task, { name: 'run', signal: deadline }).catch((error: unknown) => {
      throw deadline.aborted ? tookTooLong() : error;
    });
    if ('error' in result) throw fromErrorData(result.error);
    return result;
  };

  /** When the schemas of all tools together are too large, those that are not strict are left open. */
  const compile = async (id: string, request: GrammarRequest, text: string): Promise<NamedGrammar> => {
    const result = await run({ request: text, isLoose: false }).catch((error: unknown) => {
      const mayLoosen = request.calls?.tools.some(({ isStrict }) => !isStrict) === true;
      if (!mayLoosen || !isAppError(error) || error.code !== 'grammar_too_large') throw error;
      return run({ request: text, isLoose: true });
    });
    sizes.set(id, sizeOf(result));
    let total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    for (const [oldest, size] of sizes) {
      if (oldest === id || (total <= MAX_KNOWN_BYTES && sizes.size <= MAX_KNOWN)) break;
      total -= size;
      forget(oldest);
    }
    return { ...result, id };
  };

  return {
    compile(request, signal) {
      const text = stringifyInOrder(request);
      const id = createHash('sha256').update(text).digest('base64url');
      let grammar = known.get(id);
      if (grammar === undefined) {
        grammar = compile(id, request, text);
        // A failed grammar is not cached: another request's message may name another field.
        grammar.catch(() => forget(id));
      }
      known.delete(id);
      known.set(id, grammar);
      return waitFor(grammar, 'a grammar', { signal });
    },
    async [Symbol.asyncDispose]() {
      await (await pool)?.destroy();
    },
  };
}

function openPool(): Promise<ThreadPool<CompileTask, Result>> {
  return createThreadPool<CompileTask, Result>({
    file: 'dist/src/completion/grammars/compile-thread.js',
    minThreads: 0,
    maxThreads: MAX_THREADS,
    maxQueue: MAX_QUEUE,
    idleTimeoutMs: IDLE_MS,
    heapMb: HEAP_MB,
  });
}

function sizeOf({ compiled }: ReadyGrammar): number {
  return Object.values(compiled).reduce<number>(
    (sum, value) => sum + (ArrayBuffer.isView(value) ? value.byteLength : 0),
    0,
  );
}

function tookTooLong(): AppError {
  const message = `the grammar was not compiled within ${DEADLINE_MS} ms; make it smaller, above all its counts and choices`;
  return new AppError('grammar_too_large', message, { limitMs: DEADLINE_MS });
}
