import { parseChoice, parseNumber, ranges } from '../../cli/index.js';
import { AppError } from '../../base/index.js';

/** Options of createEngine as the command line spells them; absent ones are left to the library. */
export interface EngineFlags {
  readonly threads?: string | undefined;
  readonly kernel?: string | undefined;
  readonly placement?: string | undefined;
  readonly backend?: string | undefined;
  readonly kvCache?: string | undefined;
  readonly memoryBudget?: string | undefined;
}

const backends = ['auto', 'cpu', 'reference', 'cuda', 'metal', 'metal-fp16'] as const;

type Backend = (typeof backends)[number] | `cuda:${number}`;

function parseBackend(text: string): Backend {
  const device = /^cuda:(.*)$/s.exec(text)?.[1];
  if (device === undefined) return parseChoice('--backend', text, backends);
  if (!/^\d{1,3}$/.test(device)) {
    const message = `--backend is ${JSON.stringify(text)}, but the device after cuda: must be a whole number such as cuda:0.`;
    throw new AppError('invalid_option', message, { option: '--backend', value: text });
  }
  return `cuda:${Number(device)}`;
}

function toBytes(gibibytes: number): number {
  return Math.floor(gibibytes * 2 ** 30);
}

/** What createEngine takes, checked here so that a mistake costs no start-up. Throws `invalid_option`. */
export function toEngineOptions(flags: EngineFlags) {
  return {
    ...(flags.threads === undefined ? {} : { threads: parseNumber('--threads', flags.threads, ranges.threads) }),
    ...(flags.kernel === undefined
      ? {}
      : { kernel: parseChoice('--kernel', flags.kernel, ['auto', 'portable'] as const) }),
    ...(flags.placement === undefined
      ? {}
      : { placement: parseChoice('--placement', flags.placement, ['auto', 'inline', 'threads'] as const) }),
    ...(flags.kvCache === undefined
      ? {}
      : { kvCache: parseChoice('--kv-cache', flags.kvCache, ['f32', 'q8'] as const) }),
    ...(flags.memoryBudget === undefined
      ? {}
      : { memoryBudgetBytes: toBytes(parseNumber('--memory-budget', flags.memoryBudget, ranges.memoryBudget)) }),
    ...(flags.backend === undefined ? {} : { backend: parseBackend(flags.backend) }),
  };
}
