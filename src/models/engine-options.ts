import { totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';
import {
  AppError,
  atLeast,
  checkOptions,
  flag,
  oneOf,
  text,
  usableCores,
  whole,
  type OptionRule,
  type OptionTable,
} from '../base/index.js';
import { backendWords, isBackendChoice, type BackendChoice, type KvFormat } from '../compute/index.js';
import { parseTrustedKeys, type TrustPolicy } from '../signing/index.js';
import { defaultModelsDir } from '../store/index.js';
import type { OpenModelOptions } from './opening/open-model.js';

/** auto: the fastest correct kernels; portable: those that give the same bits on every machine. */
export type KernelChoice = 'auto' | 'portable';

/** How a GGUF file is loaded. */
export type ImportMode = 'cache' | 'memory';

/** How an engine runs; every field may be left out. */
export interface EngineOptions {
  /** Compute threads, default: as many as this process has cores, or its container's CPU quota pays for. One for the reference backend and for `inline`. */
  readonly threads?: number | null | undefined;
  /** Where `load` looks for names other than paths; default ~/.troupe/models. */
  readonly modelsDir?: string | null | undefined;
  /**
   * The directory of files that can be made again: converted GGUF files, digests. Default: the user's cache directory
   * (Linux ~/.cache/troupe, macOS ~/Library/Caches/troupe, Windows AppData/Local/troupe/Cache). If that cannot be
   * written, one of this user in the temporary directory.
   */
  readonly cacheDir?: string | null | undefined;
  /**
   * `memory`: a GGUF file is packed into memory each time it is loaded, and no copy of it is made on a disk. Default `cache`:
   * it is converted once, into the cache directory.
   */
  readonly importGguf?: ImportMode | null | undefined;
  /**
   * Whether `load` pulls a missing model, whose name looks like that of a repository of a hub, into the models
   * directory. Default true. HF_ENDPOINT, HF_TOKEN, HF_HUB_OFFLINE and HTTPS_PROXY of the environment apply.
   */
  readonly pull?: boolean | null | undefined;
  /** Default: f32 for float artifacts, q8 for quantised ones. */
  readonly kvCache?: KvFormat | null | undefined;
  /** `portable` gives the same tokens on every CPU. Default `auto`: the fastest correct variant. */
  readonly kernel?: KernelChoice | null | undefined;
  /** `inline` computes in the caller's own thread, alone, and blocks it for each step. Default `auto`: threads. */
  readonly placement?: 'auto' | 'inline' | 'threads' | null | undefined;
  /** Guess ahead where text repeats itself, when one sequence runs alone: the same tokens, mostly sooner. Default true. */
  readonly speculation?: boolean | null | undefined;
  /** Default `auto`, which is `cpu`: the WebAssembly kernels. */
  readonly backend?: BackendChoice | null | undefined;
  /**
   * Bytes of weights, KV caches and activations of all models together. Default: three quarters of the memory that the
   * machine, or the container, has; the rest is for heaps, threads and the system's file cache.
   */
  readonly memoryBudgetBytes?: number | null | undefined;
  /**
   * Longest context of a model, in tokens, prompt and completion together; its own may be shorter. Default: its own. If
   * the KV cache of that exceeds a quarter of the memory budget and 1 GiB, or does not fit, the default is what fits.
   */
  readonly maxContext?: number | null | undefined;
  /**
   * A chat template for all models instead of their own. Either the name of a chat format (chatml, llama2, llama3,
   * mistral, gemma, phi3, zephyr, alpaca, vicuna). Or the path of a Jinja file, which has a slash or ends in .jinja.
   */
  readonly template?: string | null | undefined;
  /** Sequences of one model that may wait while others run; more are refused with `overloaded`. Default 512. */
  readonly maxWaiting?: number | null | undefined;
  /**
   * Milliseconds after which an engine that has work but completes no op counts as hung. It is restarted, and requests under way
   * go on with the same tokens. The limit is raised to 50 times the median step or 8 times the longest op. Sleep of the machine
   * and time under an open inspector do not count. Without effect with `placement: 'inline'`, where no thread is left to watch.
   * Default 60,000; Infinity: never.
   */
  readonly stepTimeoutMs?: number | null | undefined;
  /**
   * Load only models that one of `trustedKeys` signed; needs one key at least. Default false: a model without a signature
   * is loaded. One whose signature does not hold is refused in any case.
   */
  readonly requireSigned?: boolean | null | undefined;
  /** Public keys that are trusted to sign models, each the 64 hexadecimal digits of a .pub file. */
  readonly trustedKeys?: readonly string[] | null | undefined;
  /** Load a signed model although this machine has seen a higher revision of it. Default false. */
  readonly allowRollback?: boolean | null | undefined;
  /** Where the revisions of signed models that were seen are remembered. Default: ~/.troupe/trust. */
  readonly trustDir?: string | null | undefined;
}

/** Options with every default filled in. */
export interface ResolvedOptions extends Omit<
  OpenModelOptions,
  'device' | 'maxBytes' | 'models' | 'template' | 'trust'
> {
  readonly backend: BackendChoice;
  readonly kernel: KernelChoice;
  readonly memoryBudgetBytes: number;
  readonly importGguf: ImportMode;
  readonly pull: boolean;
  readonly modelsDir: string | undefined;
  readonly cacheDir: string | undefined;
  /** As the caller named it: `readTemplate` makes a text of it. */
  readonly template: string | undefined;
  /** As the caller wrote its keys: `toTrustPolicy` checks them. */
  readonly trust: TrustPolicy;
}

/** More threads than any machine has cores; past it a number is a mistake. */
const MAX_THREADS = 256;
/** Less holds no model. More exceeds any machine: such a number was written in another unit. */
const MIN_BUDGET_BYTES = 2 ** 20;
const MAX_BUDGET_BYTES = 2 ** 48;
/** Two tokens are a prompt and an answer. */
const MIN_CONTEXT = 2;
/** Each that waits holds its prompt: a thousand times the default is a mistake. */
const MAX_WAITING = 1 << 19;
const BUDGET_SHARE = 0.75;

const backendName: OptionRule = {
  accepts: (value) => typeof value === 'string' && isBackendChoice(value),
  expected: backendWords.rule,
};

/** No path has a zero byte. */
const path: OptionRule = {
  accepts: (value) => text('').accepts(value) && !String(value).includes('\0'),
  expected: 'a path',
};

/** Names a chat template: a name or a path. */
export const templateName: OptionRule = { ...path, expected: 'the name of a chat format, or the path of a Jinja file' };

const keyList: OptionRule = {
  accepts: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  expected: 'an array of public keys, each of 64 hexadecimal digits',
};

/** Options of createEngine. */
const engineOptions: OptionTable<EngineOptions> = {
  threads: whole(1, MAX_THREADS),
  modelsDir: path,
  cacheDir: path,
  importGguf: oneOf('cache', 'memory'),
  pull: flag,
  kvCache: oneOf('f32', 'q8'),
  kernel: oneOf('auto', 'portable'),
  placement: oneOf('auto', 'inline', 'threads'),
  speculation: flag,
  backend: backendName,
  memoryBudgetBytes: whole(MIN_BUDGET_BYTES, MAX_BUDGET_BYTES),
  maxContext: whole(MIN_CONTEXT),
  template: templateName,
  maxWaiting: whole(0, MAX_WAITING),
  stepTimeoutMs: { ...atLeast(1), expected: 'a number of milliseconds from 1 on, or Infinity' },
  requireSigned: flag,
  trustedKeys: keyList,
  allowRollback: flag,
  trustDir: path,
};

/** Checks and completes `options`. Errors: `invalid_option`. */
export function resolveOptions(options: EngineOptions): ResolvedOptions {
  const given = checkOptions('createEngine', options, engineOptions);
  const { threads = usableCores(), kernel = 'auto', placement = 'auto', backend = 'auto', kvCache } = given;
  const { memoryBudgetBytes = defaultBudget(totalmem(), constrainedMemory()), speculation = true } = given;
  const { maxContext, template, maxWaiting, stepTimeoutMs, modelsDir = defaultModelsDir(), cacheDir } = given;
  const { importGguf = 'cache', requireSigned = false, trustedKeys = [], allowRollback = false, trustDir } = given;
  const { pull = true } = given;
  return {
    // A caller's thread that waits at a barrier could not hear that another thread of its thread group has died.
    threads: placement === 'inline' ? 1 : threads,
    modelsDir,
    cacheDir,
    importGguf,
    pull,
    kvCache,
    kernel,
    placement: placement === 'inline' ? 'inline' : 'thread',
    speculation,
    backend,
    memoryBudgetBytes,
    maxContext,
    template,
    maxWaiting,
    stepTimeoutMs,
    trust: { requireSigned, trustedKeys, allowRollback, trustDir },
  };
}

/** The policy with its keys checked. Errors: `invalid_option`, also where only signed models are wanted and no key is trusted. */
export async function toTrustPolicy(policy: TrustPolicy): Promise<TrustPolicy> {
  if (policy.requireSigned && policy.trustedKeys.length === 0) {
    const message =
      'requireSigned needs trustedKeys (--trusted-key or TROUPE_TRUSTED_KEYS on a command line): no key is trusted, so no model could be loaded';
    throw new AppError('invalid_option', message, { param: 'trustedKeys' });
  }
  return { ...policy, trustedKeys: await parseTrustedKeys(policy.trustedKeys, 'trustedKeys') };
}

/**
 * The default budget of a machine with `total` bytes. `constrained` is Node's report of a container's limit: 0 or
 * undefined if unknown, 2^64 - 1 or a similar number if there is none.
 */
export function defaultBudget(total: number, constrained: number | undefined): number {
  const isLimit = constrained !== undefined && constrained > 0 && constrained < total;
  return Math.max(MIN_BUDGET_BYTES, Math.floor((isLimit ? constrained : total) * BUDGET_SHARE));
}
