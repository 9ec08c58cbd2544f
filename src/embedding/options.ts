import { totalmem } from 'node:os';
import { join } from 'node:path';
import { constrainedMemory } from 'node:process';
import type { Placement } from '../actor/index.js';
import { AppError, describe, findHome, usableCores } from '../base/index.js';
import type { BackendChoice, KernelChoice, KvFormat } from '../compute/index.js';

/** How an engine runs; every field may be left out. */
export interface EngineOptions {
  /** Compute threads, default: as many as this process has cores, or its container's CPU quota pays for. One for the reference backend and for `inline`. */
  readonly threads?: number;
  /** Where `load` looks for names that are no path; default ~/.troupe/models. */
  readonly modelsDir?: string;
  /**
   * Where is kept what can be made again: converted GGUF files, digests. Default: the user's cache directory (Linux
   * ~/.cache/troupe, macOS ~/Library/Caches/troupe, Windows AppData/Local/troupe/Cache), or, where that cannot be
   * written, one of this user in the temporary directory.
   */
  readonly cacheDir?: string;
  /** Default: f32 for float artifacts, q8 for quantised ones. */
  readonly kvCache?: KvFormat;
  /** `portable` gives the same tokens on every CPU. Default `auto`: the fastest correct variant. */
  readonly kernel?: KernelChoice;
  /** `inline` computes in the caller's own thread, alone, and blocks it for each step. Default `auto`: threads. */
  readonly placement?: 'auto' | 'inline' | 'threads';
  /** Guess ahead where text repeats itself, when one sequence runs alone: the same tokens, mostly sooner. Default true. */
  readonly speculation?: boolean;
  /** Default `auto`, which is `cpu`: the WebAssembly kernels. */
  readonly backend?: BackendChoice;
  /**
   * Bytes of weights, KV caches and activations of all models together. Default: three quarters of the memory that the
   * machine, or the container, has; the rest is for heaps, threads and the system's file cache.
   */
  readonly memoryBudgetBytes?: number;
  /** Longest context of a model, in tokens, prompt and completion together; its own may be shorter. Default: its own. */
  readonly maxContext?: number;
  /** Sequences of one model that may wait while others run; more are refused with `overloaded`. Default 512. */
  readonly maxWaiting?: number;
  /**
   * Milliseconds in which an engine that has work computes no further pass of its step: then it hangs, and is started
   * again; who waited for it goes on with the same tokens. More where 50 times the median step or 8 times the longest pass are
   * more; no sleep of the machine counts, and nothing while an inspector is open. Not with `placement: 'inline'`, where nobody is left to watch. Default
   * 60,000; Infinity: never.
   */
  readonly stepTimeoutMs?: number;
}

/** Options with every default filled in. */
export interface ResolvedOptions {
  readonly threads: number;
  readonly modelsDir: string | undefined;
  readonly cacheDir: string | undefined;
  readonly kvCache: KvFormat | undefined;
  readonly kernel: KernelChoice;
  readonly placement: Placement;
  readonly speculation: boolean;
  readonly backend: BackendChoice;
  readonly memoryBudgetBytes: number;
  readonly maxContext: number | undefined;
  readonly maxWaiting: number | undefined;
  readonly stepTimeoutMs: number | undefined;
}

/** More threads than any machine has cores; past it a number is a mistake. */
const MAX_THREADS = 256;
/** Less holds no model; more has no machine: such a number was meant in another unit. */
const MIN_BUDGET_BYTES = 2 ** 20;
const MAX_BUDGET_BYTES = 2 ** 48;
/** Two tokens are a prompt and an answer. */
const MIN_CONTEXT = 2;
/** Each that waits holds its prompt: a thousand times the default is a mistake. */
const MAX_WAITING = 1 << 19;
const BUDGET_SHARE = 0.75;

/** Where models are kept when nobody says; undefined where there is no home. */
export function defaultModelsDir(): string | undefined {
  const home = findHome();
  return home === undefined ? undefined : join(home, '.troupe', 'models');
}

/** Checks and completes `options`. Errors: `invalid_option`. */
export function resolveOptions(options: EngineOptions): ResolvedOptions {
  const { threads = usableCores(), kernel = 'auto', placement = 'auto', backend = 'auto', kvCache } = options;
  if (!Number.isInteger(threads) || threads < 1 || threads > MAX_THREADS) {
    throw invalidOption('threads', threads, `a whole number from 1 to ${MAX_THREADS}`);
  }
  const { memoryBudgetBytes = defaultBudget(totalmem(), constrainedMemory()) } = options;
  if (
    !Number.isInteger(memoryBudgetBytes) ||
    memoryBudgetBytes < MIN_BUDGET_BYTES ||
    memoryBudgetBytes > MAX_BUDGET_BYTES
  ) {
    throw invalidOption(
      'memoryBudgetBytes',
      memoryBudgetBytes,
      `a whole number from ${MIN_BUDGET_BYTES} to ${MAX_BUDGET_BYTES}`,
    );
  }
  const { stepTimeoutMs } = options;
  if (stepTimeoutMs !== undefined && !(typeof stepTimeoutMs === 'number' && stepTimeoutMs >= 1)) {
    throw invalidOption('stepTimeoutMs', stepTimeoutMs, 'a number of milliseconds from 1 on, or Infinity');
  }
  const { maxContext, maxWaiting, modelsDir = defaultModelsDir(), cacheDir, speculation = true } = options;
  checkPath('modelsDir', modelsDir);
  checkPath('cacheDir', cacheDir);
  if (typeof speculation !== 'boolean') throw invalidOption('speculation', speculation, 'true or false');
  checkWhole('maxContext', maxContext, MIN_CONTEXT, Number.MAX_SAFE_INTEGER);
  checkWhole('maxWaiting', maxWaiting, 0, MAX_WAITING);
  oneOf('kernel', kernel, ['auto', 'portable']);
  oneOf('placement', placement, ['auto', 'inline', 'threads']);
  if (kvCache !== undefined) oneOf('kvCache', kvCache, ['f32', 'q8']);
  if (!/^(auto|cpu|reference|cuda(:\d{1,3})?|metal|metal-fp16)$/.test(backend)) {
    throw invalidOption('backend', backend, 'auto, cpu, reference, cuda, cuda:N, metal or metal-fp16');
  }
  return {
    // A caller's thread that waits at a barrier could not hear that another thread of its team has died.
    threads: backend === 'reference' || placement === 'inline' ? 1 : threads,
    modelsDir,
    cacheDir,
    kvCache,
    kernel,
    placement: placement === 'inline' ? 'inline' : 'thread',
    speculation,
    backend,
    memoryBudgetBytes,
    maxContext,
    maxWaiting,
    stepTimeoutMs,
  };
}

/**
 * The default budget of a machine with `total` bytes. `constrained` is what Node tells of a container's limit: 0 or
 * undefined where it knows none, 2^64 - 1 or some such where there is none.
 */
export function defaultBudget(total: number, constrained: number | undefined): number {
  const isLimit = constrained !== undefined && constrained > 0 && constrained < total;
  return Math.max(MIN_BUDGET_BYTES, Math.floor((isLimit ? constrained : total) * BUDGET_SHARE));
}

/** Types have said so, but not everyone compiles. */
function checkPath(name: string, value: unknown): void {
  const isPath = typeof value === 'string' && value !== '' && !value.includes('\0');
  if (value !== undefined && !isPath) throw invalidOption(name, value, 'a path');
}

function checkWhole(name: string, value: number | undefined, min: number, max: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) return;
  throw invalidOption(name, value, `a whole number from ${min} to ${max}`);
}

function oneOf(name: string, value: string, allowed: readonly string[]): void {
  if (!allowed.includes(value)) throw invalidOption(name, value, allowed.join(' or '));
}

function invalidOption(name: string, value: unknown, expected: string): AppError {
  return new AppError('invalid_option', `${name} is ${describe(value, true)}; it must be ${expected}`, { param: name });
}
