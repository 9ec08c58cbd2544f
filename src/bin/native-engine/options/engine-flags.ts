// Options that several commands have: one declaration each. Every command calls them for declarations of its own.
import { switchOption, textOption } from '../../../cli/index.js';

/** `--threads` */
export const threadsFlag = () =>
  textOption('--threads', {
    value: 'N',
    description: 'compute threads',
    default: 'chosen from the cores',
    group: 'Engine',
  });

/** `--kernel` */
export const kernelFlag = () =>
  textOption('--kernel', {
    value: 'auto|portable',
    description: 'portable: the same bits on every CPU',
    default: 'auto',
    group: 'Engine',
  });

/** `--placement` */
export const placementFlag = () =>
  textOption('--placement', {
    value: 'auto|inline|threads',
    description: 'where the engine runs',
    default: 'auto',
    group: 'Engine',
  });

/** `--kv-cache` */
export const kvCacheFlag = () =>
  textOption('--kv-cache', {
    value: 'f32|q8',
    description: 'numbers of the KV cache',
    default: 'what fits the weights',
    group: 'Engine',
  });

/** `--memory-budget` */
export const memoryBudgetFlag = () =>
  textOption('--memory-budget', {
    value: 'GIB',
    description: 'memory for weights, KV cache and activations',
    default: 'three quarters of the memory',
    group: 'Engine',
  });

/** `--ctx` */
export const ctxFlag = () =>
  textOption('--ctx', {
    value: 'N',
    description: 'longest context in tokens',
    default: "the model's own, or what fits of it",
    group: 'Engine',
  });

/** `--models-dir` */
export const modelsDirFlag = () =>
  textOption('--models-dir', {
    value: 'DIR',
    description: 'directory of the models, and of names',
    default: 'TROUPE_MODELS, else ~/.troupe/models',
    group: 'Files',
  });

/** `--cache-dir`; `what` the command keeps there. */
export const cacheDirFlag = (what = 'converted files') =>
  textOption('--cache-dir', {
    value: 'DIR',
    description: `where ${what} are kept`,
    default: "TROUPE_CACHE, else the user's cache directory",
    group: 'Files',
  });

/** `--no-cache` */
export const noCacheFlag = () =>
  switchOption('--no-cache', {
    description: 'pack a GGUF file into memory each time, and keep no converted copy of it',
    group: 'Files',
  });

/** `--json`; `what` is printed. */
export const jsonFlag = (what: string) =>
  switchOption('--json', { description: `print ${what} as JSON`, group: 'Output' });

/** `--debug` */
export const debugFlag = () => switchOption('--debug', { description: 'stack traces of errors' });
